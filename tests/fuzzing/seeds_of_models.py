"""Valid miniature models: path in a folder -> bytes, each made once; see :mod:`tests.fuzzing.seeds`."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pandas as pd

from tests.fuzzing.seeds import Files, of

_PREDICTIONS = (
    "file,start,end,arousal,emotion/anger,emotion/happiness,emotion/neutral,emotion/sadness,dataset\n"
    "a.wav,,,0.25,0.1,0.2,0.3,0.4,db\nb.wav,0,,0.5,1,0,0,0,db-1.0.0\n"
    "b.wav,0 days 00:00:01.5,2.5,1e-1,0,0,0,1,\n"
)
predictions_csv = of("p.csv", _PREDICTIONS)


def predictions_parquet() -> Files:
    """The same as parquet."""
    table = pd.DataFrame(
        {
            "file": ["a.wav", "b.wav"],
            "start": pd.to_timedelta([0, 0], unit="s"),
            "end": pd.to_timedelta([None, None]),
            "arousal": [0.25, 0.5],
            "emotion": ["anger", "neutral"],
        }
    )
    out = io.BytesIO()
    table.to_parquet(out, index=False)
    return {"p.parquet": out.getvalue()}


IMPORTED_PREDICTIONS = {
    "csv": of("p.csv", "path;begin;end;arousal;label\nx/a.wav;0;1,5;0,25;anger\nb.wav;;;0,5;sad\n"),
    "jsonl": of(
        "p.jsonl",
        '{"audio": "a.wav", "start": 0.5, "end": 1, "arousal": 0.5, "emotion": "anger"}\n'
        '{"audio": "b.wav", "start": null, "end": null, "arousal": 1, "emotion": "neutral"}\n',
    ),
}


def onnx_graph() -> Files:
    """A graph with a weight, metadata, and shapes of numbers and names."""
    from onnx import TensorProto, helper, numpy_helper

    signal = helper.make_tensor_value_info("signal", TensorProto.FLOAT, [1, "time"])
    output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 4])
    weight = numpy_helper.from_array(np.ones((1, 4), dtype=np.float32), "w")
    nodes = [
        helper.make_node("ReduceMean", ["signal"], ["m"], keepdims=1),
        helper.make_node("MatMul", ["m", "w"], ["logits"]),
    ]
    graph = helper.make_graph(nodes, "g", [signal], [output], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, {"labels": '["a", "b"]'})
    return {"m.onnx": model.SerializeToString()}


def onnx_folder() -> Files:
    """A folder as audonnx writes it."""
    described = (
        "$audonnx.core.model.Model==0.7.0:\n  path: model.onnx\n  device: cpu\n  transform: null\n"
        "  labels:\n    logits: [anger, happiness, neutral, sadness]\n"
    )
    return {
        "model/model.onnx": onnx_graph()["m.onnx"],
        "model/model.yaml": described.encode(),
        "model/labels.yaml": b"logits: [anger, happiness, neutral, sadness]\n",
    }


def hub_folder() -> Files:
    """A folder of transformers with weights as safetensors."""
    header = {
        "__metadata__": {"format": "pt"},
        "a.weight": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
        "b": {"dtype": "I64", "shape": [1], "data_offsets": [16, 24]},
    }
    text = json.dumps(header).encode()
    config = {
        "model_type": "wav2vec2",
        "architectures": ["Wav2Vec2ForSequenceClassification"],
        "id2label": {"0": "anger", "1": "neutral"},
        "label2id": {"anger": 0, "neutral": 1},
    }
    extractor = {"sampling_rate": 16000, "do_normalize": True, "feature_size": 1}
    return {
        "config.json": json.dumps(config).encode(),
        "preprocessor_config.json": json.dumps(extractor).encode(),
        "model.safetensors": len(text).to_bytes(8, "little") + text + bytes(24),
    }


def small_zip() -> Files:
    """A ZIP archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bundle.json", b'{"format": "1"}' * 20)
        archive.writestr("method-tests/arousal/manifest.json", b"{}")
    return {"loud.zip": out.getvalue()}


answer = of(
    "answer.json",
    '{"arousal": 0.5, "emotion": {"anger": 0.1, "happiness": 0.2, "neutral": 0.3, "sadness": 0.4}}',
)
events_answer = of("answer.json", '{"sounds": {"events": [[0.1, 0.5, "x"], [0.2, 0.9, "y"]]}}')
http_answer = of(
    "answer.http",
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    '10\r\n{"arousal": 0.5}\r\n0\r\n\r\n',
)


def skops_file() -> Files:
    """A pipeline of scikit-learn."""
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from skops.io import dumps

    pipeline = make_pipeline(StandardScaler(), LinearRegression())
    return {"m.skops": dumps(pipeline.fit(np.eye(3), np.arange(3.0)))}
