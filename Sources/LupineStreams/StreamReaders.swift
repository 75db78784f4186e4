import LupineSession

/// Those who may still read a streamed response: once the last of them is gone, a body that nobody has read is given up.
///
/// The request is cancelled then, as by a reader who stops, since its end would wait for a reader for ever.
final class StreamReaders: Sendable {
  let task: RequestExecution
  let consumer: StreamConsumer

  init(_ task: RequestExecution, _ consumer: StreamConsumer) {
    self.task = task
    self.consumer = consumer
  }

  deinit {
    guard consumer.take() else { return }
    // The request itself holds what is called once its response begins.
    consumer.whenOpened { [weak task] consumer in
      task?.cancel()
      consumer.abandon()
    }
  }
}
