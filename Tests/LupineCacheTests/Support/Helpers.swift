import LupineCore
import LupineFoundation
import Synchronization

/// A value that a test changes while a session reads it.
final class Box<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  init(_ value: Value) { state = Mutex(value) }

  var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  func change(_ change: @Sendable (inout Value) -> Void) { state.withLock { change(&$0) } }
}

/// A coding whose decoder makes capitals.
struct Capitals: ContentCoding {
  let name = "capitals"
  let aliases: [String] = []

  func makeDecoder(limits: DecodingLimits) throws(LupineError) -> any BodyTransformer { CapitalsStage() }
  func makeEncoder() throws(LupineError) -> any BodyTransformer { CapitalsStage() }
}

private final class CapitalsStage: BodyTransformer {
  func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) {
    let bytes = input.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
    let result = bytes.withUnsafeBytes { bytes -> Result<Void, LupineError> in
      do throws(LupineError) { return .success(try output(bytes)) } catch { return .failure(error) }
    }
    try result.get()
  }

  func finish(into output: Output) throws(LupineError) {}
}
