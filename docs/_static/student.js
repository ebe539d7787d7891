/* Tails of the normal distribution and of Student's t, and random numbers with a seed.
   common/uncertainty/student.py and scipy say the same in Python. */
(() => {
  "use strict";

  const LANCZOS = [676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905, -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7];
  function logGamma(x) {
    if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
    const z = x - 1;
    const sum = LANCZOS.reduce((all, part, place) => all + part / (z + place + 1), 0.9999999999998099);
    const t = z + 7.5;
    return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(sum);
  }

  /** Continued fraction of the incomplete beta function (Lentz). */
  function fractionOf(x, a, b) {
    const small = 1e-300;
    const safe = (value) => (Math.abs(value) < small ? small : value);
    let c = 1;
    let d = 1 / safe(1 - ((a + b) * x) / (a + 1));
    let h = d;
    for (let m = 1; m < 500; m += 1) {
      const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
      d = 1 / safe(1 + even * d);
      c = safe(1 + even / c);
      h *= d * c;
      const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
      d = 1 / safe(1 + odd * d);
      c = safe(1 + odd / c);
      h *= d * c;
      if (Math.abs(d * c - 1) < 1e-15) break;
    }
    return h;
  }

  /** Regularised incomplete beta function. */
  function beta(x, a, b) {
    if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
    const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
    return x < (a + 1) / (a + b + 2) ? (front * fractionOf(x, a, b)) / a : 1 - (front * fractionOf(1 - x, b, a)) / b;
  }

  /** Probability that Student's t is at least |t|: one tail. */
  const tail = (t, freedom) => (t === 0 ? 0.5 : Number.isFinite(t) ? beta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2 : 0);
  const twoSided = (t, freedom) => 2 * tail(t, freedom);

  /** Upper tail of the normal distribution, for z of 0 or more. */
  function normalTail(z) {
    const x = z / Math.SQRT2;
    if (x < 2) {
      let term = x;
      let sum = x;
      for (let n = 1; n < 200 && Math.abs(term) > 1e-17; n += 1) {
        term *= (-x * x) / n;
        sum += term / (2 * n + 1);
      }
      return 0.5 - sum / Math.sqrt(Math.PI);
    }
    let rest = 0;
    for (let n = 120; n > 0; n -= 1) rest = n / 2 / (x + rest);
    return Math.exp(-x * x) / (2 * Math.sqrt(Math.PI) * (x + rest));
  }

  /** Where a falling function of a number of 0 or more has a value. */
  function solved(falling, value) {
    let [low, high] = [0, 1];
    while (falling(high) > value && high < 1e15) high *= 2;
    for (let turn = 0; turn < 200 && high - low > 1e-15 * high; turn += 1) {
      const middle = (low + high) / 2;
      if (falling(middle) > value) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  }

  /** The z whose upper tail is p, for p of at most 0.5. */
  const normalHeight = (p) => (p > 0 ? solved(normalTail, p) : 40);
  /** Quantile of 97.5 % of Student's t; at least one degree of freedom is assumed. */
  const student = (freedom) => solved((t) => tail(t, Math.max(freedom, 1)), 0.025);

  /** q values (Benjamini and Hochberg 1995); null: not tested. common/uncertainty/multiple.py has them in Python. */
  function falseDiscoveries(p) {
    const tested = p.map((value, place) => [value, place]).filter(([value]) => value !== null);
    tested.sort(([a], [b]) => b - a);
    const q = p.map(() => null);
    let least = 1;
    tested.forEach(([value, place], turn) => {
      least = Math.min(least, (value * tested.length) / (tested.length - turn));
      q[place] = least;
    });
    return q;
  }

  /** Random numbers between 0 and 1 from a seed (sfc32), then normal ones (Box and Muller). */
  function generator(seed) {
    let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, seed | 0];
    const next = () => {
      const sum = (((a + b) | 0) + d) | 0;
      d = (d + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + sum) | 0;
      return (sum >>> 0) / 4294967296;
    };
    for (let turn = 0; turn < 20; turn += 1) next();
    let spare = null;
    const normal = () => {
      if (spare !== null) {
        const value = spare;
        spare = null;
        return value;
      }
      const size = Math.sqrt(-2 * Math.log(1 - next()));
      const angle = 2 * Math.PI * next();
      spare = size * Math.sin(angle);
      return size * Math.cos(angle);
    };
    return { next, normal };
  }

  window.student = { tail, twoSided, normalTail, normalHeight, student, falseDiscoveries, generator };
})();
