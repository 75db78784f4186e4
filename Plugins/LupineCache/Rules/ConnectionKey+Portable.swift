import LupineCore

extension ConnectionKey {
  /// A description that is equal in every process for an equal key, and differs for any other; `nil` if the key has a
  /// part that no other process can compare.
  ///
  /// Those parts are the number of a trust policy, what names a file, a socket or an address of one machine and decides
  /// who the client or the server is, tickets of the system, and values that cannot be read.
  var portableParts: [String]? {
    var rest = self
    rest.certificateAuthorities = nil
    rest.additionalCertificateAuthorities = nil
    rest.minimumTLSVersion = nil
    rest.maximumTLSVersion = nil
    rest.connectionCredential = nil
    rest.proxy = nil
    if networkPolicy == .publicInternetOnly { rest.networkPolicy = nil }
    // Also a part that this code does not know makes the key one of this process alone.
    guard rest == ConnectionKey() else { return nil }
    let credentials = [connectionCredential, proxy?.connectionCredential]
    guard credentials.allSatisfy({ $0 == nil || $0?.credential != nil }) else { return nil }
    let fields: [[String]?] = [
      certificateAuthorities.map { [$0] }, additionalCertificateAuthorities.map { [$0] },
      minimumTLSVersion.map { [$0.rawValue] }, maximumTLSVersion.map { [$0.rawValue] }, connectionCredential?.parts,
      proxy.map { [$0.address] }, proxy?.credential?.parts, proxy?.connectionCredential?.parts,
      networkPolicy.map { _ in ["publicInternetOnly"] },
    ]
    // The number of values before each group tells an absent part from an empty one.
    return fields.flatMap { values in [String(values?.count ?? 0)] + (values ?? []) }
  }
}

extension Credential {
  fileprivate var parts: [String] { [username, password] }
}

extension ConnectionCredential {
  fileprivate var parts: [String] { [scheme.rawValue] + (credential?.parts ?? []) }
}
