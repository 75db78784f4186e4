import Lupine
import LupineObservability

/// Makes a session and a task that shows whether its requests are under way.
func makeBusySession(
  over transport: some Transport, show: @escaping @Sendable (String) -> Void
) throws -> (Session, Task<Void, Never>) {
  let activity = NetworkActivity()
  let busy = try Session.Builder().transport(transport).monitor(activity).build()
  let indicator = Task {
    for await state in activity.states { show(state.isShown ? "working …" : "") }
  }
  return (busy, indicator)
}
