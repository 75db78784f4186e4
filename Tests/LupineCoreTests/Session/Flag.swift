/// An event that happens once and that tasks can await.
final class Flag: Sendable {
  private let stream: AsyncStream<Never>
  private let continuation: AsyncStream<Never>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func raise() { continuation.finish() }

  func raised() async { for await _ in stream {} }
}
