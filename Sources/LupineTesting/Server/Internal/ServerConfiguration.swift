/// The settings of a server.
struct ServerConfiguration: Sendable {
  let readsBody: Bool
  let answersContinue: Bool
  let keptBodyLength: Int
  let handler: @Sendable (ReceivedHTTPRequest) -> ScriptedReply
  /// The bytes to send after a client's first bytes, instead of HTTP/1.1.
  var greeting: [UInt8]?
  /// The frames that answer the first request of each HTTP/2 connection, instead of HTTP/1.1.
  var frames: [UInt8]?
}
