/// What every kind of request holds: the one execution that all its copies share.
public struct RequestHandle: Sendable {
  let task: RequestExecution

  package init(task: RequestExecution) { self.task = task }
}
