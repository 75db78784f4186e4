/// The events of a server so far.
struct ServerRecord: Sendable {
  var requests: [ReceivedHTTPRequest] = []
  var problems: [ScriptedServer.Problem] = []
  var accepted = 0
  var open = 0
  var isStopped = false
}
