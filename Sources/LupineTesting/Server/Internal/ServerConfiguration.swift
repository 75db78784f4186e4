/// How a server was made.
struct ServerConfiguration: Sendable {
  let readsBody: Bool
  let answersContinue: Bool
  let keptBodyLength: Int
  let handler: @Sendable (ReceivedHTTPRequest) -> ScriptedReply
}
