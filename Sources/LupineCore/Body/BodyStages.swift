/// Passes bytes through a row of transformers.
package enum BodyStages {
  package static func pass(
    _ bytes: UnsafeRawBufferPointer, through stages: ArraySlice<any BodyTransformer>,
    into output: BodyTransformer.Output
  ) throws(LupineError) {
    guard let stage = stages.first else { return try output(bytes) }
    try stage.transform(bytes) { (piece) throws(LupineError) in
      try pass(piece, through: stages.dropFirst(), into: output)
    }
  }

  package static func finish(
    _ stages: ArraySlice<any BodyTransformer>, into output: BodyTransformer.Output
  ) throws(LupineError) {
    guard let stage = stages.first else { return }
    try stage.finish { (piece) throws(LupineError) in
      try pass(piece, through: stages.dropFirst(), into: output)
    }
    try finish(stages.dropFirst(), into: output)
  }
}
