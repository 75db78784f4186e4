/// How a server was made.
struct ServerConfiguration: Sendable {
  let readsBody: Bool
  let answersContinue: Bool
  let keptBodyLength: Int
  let handler: @Sendable (ReceivedHTTPRequest) -> ScriptedReply
  /// What is said to a client's first bytes, whatever they are, in place of HTTP/1.1.
  var greeting: [UInt8]?
  /// The frames that answer the first request of each connection of HTTP/2, in place of HTTP/1.1.
  var frames: [UInt8]?
}
