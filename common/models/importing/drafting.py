"""``build.py models new``: an entry for a model file or folder, told from what it is."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ... import spec
from ...core import advice, syntax
from ...core.documents import parse_json
from ...core.errors import BenchmarkError, ConfigError
from ...core.files import write_text
from ...samples.importing.catalog_text import write_entry
from ...samples.importing.table_files import TABLES
from ...spec import Benchmark, kinds
from .. import hub_folders, onnx_files, synonyms
from ..labels import positions
from . import check_id

#: what is written where a model needs code
TEMPLATE = '''"""Model {id}: fill in what is missing, then: python build.py check --catalog {catalog}"""


class Model:
    """Called for each signal."""

    targets = {targets}
    labels = {labels}

    def __init__(self, path):
        self.path = path  # {path}

    def predict(self, signals, sampling_rate):
        """signals: float32 arrays of shape (1, samples) in [-1, 1]; returns target -> values."""
        raise NotImplementedError("call your model here")


def load(path):
    return Model(path)
'''
#: what is said of files that may be programs
PROGRAM = (
    "a program that answers line by line needs an entry with 'adapter: command' and 'entry: \"{}\"'"
)
#: files of weights, which say nothing of the network that they belong to
WEIGHTS = (".bin", ".ckpt", ".h5", ".joblib", ".keras", ".pkl", ".pth", ".safetensors", ".tflite")
#: functions and classes of a Python file that may be the model, the likeliest first
FACTORIES = ("load", "Model")


@dataclass
class DraftReport:
    """What was written.

    Args:
        entry: what stands in the catalog
        catalog: the file
        folder: its folder, as the user calls it
        notes: what was found
        todo: what is left to do
        code: what of it runs code, which must be allowed; empty: nothing
    """

    entry: dict[str, Any]
    catalog: Path
    folder: Path
    notes: list[str] = field(default_factory=list)
    todo: list[str] = field(default_factory=list)
    code: str = ""

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {**vars(self), "catalog": str(self.catalog), "folder": str(self.folder)}

    def text(self) -> str:
        """For people."""
        lines = [f"{self.entry['id']}: adapter {self.entry['adapter']}"]
        lines += [f"  {note}" for note in self.notes] + [f"  to do: {text}" for text in self.todo]
        place = "--catalog", self.folder
        lines.append(f"written to {self.folder / self.catalog.name}")
        lines.append(f"check it: {advice.command('check', *place)}")
        if not self.todo:
            allowed = ["--allow-code"] if self.code else []
            words = "models", "try", self.entry["id"], "recording.wav"
            lines.append(f"try it on a file: {advice.command(*words, *place, *allowed)}")
        return "\n".join(lines)


@dataclass(frozen=True)
class _Request:
    path: Path
    name: str
    folder: Path
    targets: Mapping[str, spec.Target]
    labels: Sequence[str]


def draft(
    path: str,
    name: str | None,
    to: Path,
    *,
    benchmark: Benchmark,
    labels: Sequence[str] = (),
    force: bool = False,
) -> DraftReport:
    """Write an entry for a model into a catalog.

    Args:
        path: file or folder, or the name of a model in the cache of the hub
        name: id; None: name of the file
        to: catalog folder
        benchmark: declares targets
        labels: names of the outputs, in the order of the model
        force: replace an entry of this id

    Raises:
        ConfigError: if the file is of no known kind, or the id is taken
        ModelError: if the file is damaged
    """
    source = Path(path).expanduser()
    name = name or re.sub(r"[^A-Za-z0-9._-]+", "-", source.stem if source.suffix else source.name)
    catalog = to.expanduser().resolve() / "models.yaml"
    check_id(catalog, name, force)
    request = _Request(source, name, catalog.parent, benchmark.targets, labels)
    report = DraftReport({"id": name, "version": "1.0.0"}, catalog, to)
    _maker(request, path)(request, report)
    report.entry.setdefault("sampling_rate", 16000)
    try:
        entry = spec.parse(spec.Model, report.entry, catalog, name, builtin=False)
        from .. import check, code_of

        report.code = code_of(entry)
        check(entry, benchmark.targets)
    except BenchmarkError as error:
        report.todo.append(str(error))
    report.notes += write_entry(catalog, name, report.entry)
    return report


def _maker(request: _Request, text: str) -> Callable[[_Request, DraftReport], None]:
    path = request.path
    if not path.exists() and hub_folders.HUB_NAME.fullmatch(text) and not path.suffix:
        return _hub
    if not path.exists():
        raise ConfigError(f"{path}: no such file or folder")
    if path.is_dir():
        return _hub if (path / hub_folders.CONFIG).is_file() else _onnx
    makers = {".onnx": _onnx, ".pt": _script, ".skops": _pipeline, ".py": _python}
    ending = path.suffix.lower()
    if ending in TABLES and not _is_network(path):
        raise ConfigError(
            f"{path}: is a table; make a model of its predictions with: {advice.command('import-predictions', path)}"
        )
    if ending not in makers and ending not in WEIGHTS:
        endings = ", ".join((*makers, *WEIGHTS))
        if ending == ".json":
            raise ConfigError(
                f"{path}: is not a list of predictions; if it describes a network, give the file with"
                f" its weights instead; {PROGRAM.format(path.name)}"
            )
        raise ConfigError(
            f"{path}: unknown kind of model. Known: folders, {endings}; {PROGRAM.format(path.name)}"
        )
    return makers.get(ending, _weights)


def _is_network(path: Path) -> bool:
    """Whether a JSON file is no list of predictions, but what describes a network without its weights."""
    if path.suffix.lower() != ".json":
        return False
    try:
        content = parse_json(path.read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict)


def _place(request: _Request, report: DraftReport) -> None:
    """Path as in the entry: relative if the model lies in or beside the catalog."""
    path, beside = request.path.resolve(), request.folder.parent
    if path.is_relative_to(request.folder):
        report.entry["path"] = path.relative_to(request.folder).as_posix()
    elif path.is_relative_to(beside):
        report.entry["path"] = (Path("..") / path.relative_to(beside)).as_posix()
    else:
        report.entry["path"] = path.as_posix()


def _named(request: _Request, report: DraftReport, labels: Sequence[str], *, state: bool) -> None:
    """Outputs of a model whose labels are known.

    Args:
        request: what is asked for
        report: gets outputs and notes
        labels: names of the outputs
        state: whether the entry must name the labels, as the model does not
    """
    words = synonyms.known(labels)
    outputs: dict[str, Any] = {}
    for target in request.targets.values():
        if kinds.of(target).is_ragged:
            continue
        needed = kinds.of(target).names(target)
        mapping = {a: b for a, b in words.get(target.id, {}).items() if b in needed}
        if positions(needed, labels, mapping):
            outputs[target.id] = {
                **({"labels": list(labels)} if state else {}),
                **({"mapping": mapping} if mapping else {}),
            }
            pairs = ", ".join(f"{a} = {b}" for a, b in mapping.items())
            report.notes.append(f"{target.id}: {pairs or 'found by its names'}")
    if outputs:
        report.entry["outputs"] = outputs
    else:
        report.todo.append(
            f"outputs: none of the targets {', '.join(request.targets)} is among the labels: "
            f"{', '.join(labels) or 'none'}"
        )


def _hub(request: _Request, report: DraftReport) -> None:
    report.entry["adapter"] = "huggingface"
    if request.path.is_dir():
        _place(request, report)
    else:
        report.entry["path"] = request.path.as_posix()
    entry = spec.parse(
        spec.Model, report.entry, request.folder / "models.yaml", request.name, builtin=False
    )
    hub_folder = hub_folders.find(entry)
    report.entry["sampling_rate"] = hub_folder.sampling_rate or 16000
    report.notes.append(f"{hub_folder.architecture or hub_folder.config['model_type']}")
    _named(request, report, request.labels or hub_folder.labels, state=bool(request.labels))


def _onnx(request: _Request, report: DraftReport) -> None:
    report.entry["adapter"] = "onnx"
    _place(request, report)
    entry = spec.parse(
        spec.Model, report.entry, request.folder / "models.yaml", request.name, builtin=False
    )
    if request.labels:
        _named(request, report, request.labels, state=True)
    elif not onnx_files.layout(entry).labels:
        report.notes.append("the names of its outputs may be given by --labels")


def _script(request: _Request, report: DraftReport) -> None:
    report.entry["adapter"] = "torchscript"
    _place(request, report)
    if request.labels:
        _named(request, report, request.labels, state=True)


def _pipeline(request: _Request, report: DraftReport) -> None:
    report.entry["adapter"] = "skops"
    _place(request, report)
    if request.labels:
        _named(request, report, request.labels, state=True)
    report.todo.append("frontend: say which features the pipeline takes, if not the signal")


def _python(request: _Request, report: DraftReport) -> None:
    path = request.path.resolve()
    if path.parent != request.folder:
        raise ConfigError(f"{path}: must lie in the folder of the catalog, {request.folder}")
    try:
        tree = syntax.parse(path.read_text("utf-8"))
    except (SyntaxError, ValueError) as error:
        raise ConfigError(f"{path}: is not valid Python: {error}") from None
    names = [n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    factory = next((name for name in FACTORIES if name in names), "")
    if not factory:
        raise ConfigError(
            f"{path}: defines none of {', '.join(FACTORIES)}; it has: {', '.join(names) or 'nothing'}; "
            f"{PROGRAM.format(f'python {path.name}')}"
        )
    report.entry |= {"adapter": "python", "entry": f"{path.stem}:{factory}"}
    targets = _said(tree, factory)
    outputs = {
        target: {"labels": list(request.labels)} if _fits(request, target) else {}
        for target in request.targets
        if target in targets
    }
    if outputs:
        report.entry["outputs"] = outputs
        report.notes.append(f"outputs: the file says 'targets': {', '.join(outputs)}")
    elif request.labels:
        _named(request, report, request.labels, state=True)
    else:
        report.todo.append(_unsaid(request, path, targets))


def _fits(request: _Request, target: str) -> bool:
    """Whether labels that a user names are those of a target."""
    entry = request.targets[target]
    needed = kinds.of(entry).names(entry)
    mapping = synonyms.known(request.labels).get(target, {})
    return bool(request.labels and positions(needed, request.labels, mapping))


def _unsaid(request: _Request, path: Path, targets: Sequence[str]) -> str:
    """What is to be filled in where a file does not say what its model predicts."""
    of_classes = next((t for t in request.targets.values() if t.labels and not t.detection), None)
    of_numbers = next((t for t in request.targets.values() if not t.labels), None)
    examples = [f"'outputs: {{{of_numbers.id}: {{}}}}' for numbers"] if of_numbers else []
    if of_classes:
        labels = ", ".join(of_classes.labels)
        text = f"'outputs: {{{of_classes.id}: {{labels: [{labels}]}}}}', in the order of its scores"
        examples.append(f"{text}, for classes (or once more with --force and --labels)")
    why = (
        f"its 'targets' {', '.join(targets)} are none of {', '.join(request.targets)}"
        if targets
        else "its class has no 'targets'"
    )
    return f"{path.name} does not say what the model predicts ({why}); add to the entry {', or '.join(examples)}"


def _said(tree: ast.Module, factory: str) -> list[str]:
    """Literal ``targets`` of the class that a file makes models of; the file is not run."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for node in sorted(classes, key=lambda node: node.name != factory):
        values = {
            name.id: statement.value
            for statement in node.body
            if isinstance(statement, ast.Assign)
            for name in statement.targets
            if isinstance(name, ast.Name)
        }
        try:
            targets = ast.literal_eval(values["targets"])
        except (KeyError, ValueError):
            continue
        if isinstance(targets, list | tuple | set) and targets:
            return sorted(map(str, targets))
    return []


def _weights(request: _Request, report: DraftReport) -> None:
    """Weights need code: a template is written beside the catalog."""
    module = re.sub(r"\W", "_", request.name)
    module = f"model_{module}" if module[0].isdigit() else module
    template = request.folder / f"{module}.py"
    if template.exists():
        raise ConfigError(
            f"{template}: already exists and is not overwritten; move it, or choose another id with --as"
        )
    report.entry |= {"adapter": "python", "entry": f"{module}:load"}
    _place(request, report)
    if request.labels:
        _named(request, report, request.labels, state=False)
    names = list(report.entry.get("outputs", {}))
    text = TEMPLATE.format(
        id=request.name,
        catalog=shlex.quote(str(report.folder)),
        path=request.path.name,
        targets=repr(tuple(names) or tuple(request.targets)[:1]),
        labels=repr({name: list(request.labels) for name in names}),
    )
    write_text(template, text)
    report.notes.append(f"{request.path.name} holds weights only, so code is needed")
    report.todo.append(f"fill in {template.name}")
