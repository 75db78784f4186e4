public import LupineCore

/// The rules about trust for exchanges, which a transport checks because it may be used without a session.
public enum TrustRules {
  /// - Throws: `LupineError` of kind `configuration` for an evaluator without a trust policy in the connection key.
  public static func check(_ context: TransferContext) throws(LupineError) {
    guard context.judgesServers, context.evaluator != nil, context.connectionKey.trustPolicy == nil else { return }
    let reason =
      "an evaluator needs a connection key with a trust policy; otherwise its result would apply to other sessions."
    throw LupineError(
      .configuration([ConfigurationIssue(part: "trust", reason: reason)]), "The request is not sent: \(reason)")
  }
}
