"""The local sentence embedder: an ONNX model, its manifest, and other models beside it."""
