/// The execution of a request, which all its copies share.
public struct RequestHandle: Sendable {
  let task: RequestExecution

  package init(task: RequestExecution) { self.task = task }
}
