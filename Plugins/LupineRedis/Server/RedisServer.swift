public import LupineCore
import LupineFoundation

/// The Redis or Valkey server of a ``RedisStore``, and the user of its connections.
///
/// The connections are not encrypted: TLS is not supported. Use a Unix-domain socket, a private network or a tunnel. A
/// description shows neither the password nor the user.
public struct RedisServer: Sendable, Hashable, HidesSecrets {
  /// Where a server listens.
  public enum Address: Sendable, Hashable {
    /// A host name or an IP address without brackets, and a port.
    case tcp(host: String, port: Int)
    /// The path of a Unix-domain socket, of at most 107 bytes.
    case unix(path: String)
  }

  /// Where the server listens.
  public var address: Address
  /// The user of the server's access control list; `nil`, the default, is the server's default user.
  public var username: String?
  /// The password; `nil`, the default, sends none.
  public var password: String?
  /// The number of the database, which each connection selects; 0 by default.
  public var database: Int

  /// Describes a server.
  public init(_ address: Address, username: String? = nil, password: String? = nil, database: Int = 0) {
    self.address = address
    self.username = username
    self.password = password
    self.database = database
  }

  /// The address and the database.
  public var description: String {
    let database = database == 0 ? "" : ", database \(database)"
    switch address {
    case .tcp(let host, let port): return (host.contains(":") ? "[\(host)]" : host) + ":\(port)\(database)"
    case .unix(let path): return path + database
    }
  }
}

extension RedisServer {
  /// Reads a URL such as `redis://user:password@host:6379/2` or `unix:///run/redis/redis.sock?db=2`.
  ///
  /// The port is 6379 by default, and the database 0.
  ///
  /// - Throws: `LupineError` of kind `configuration`, without the URL's user and password. The scheme `rediss` is
  ///   refused, because TLS is not supported.
  public init(url: String) throws(LupineError) {
    guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased() else {
      throw Self.unusable("The URL of the Redis server is not a URL; use redis://HOST:PORT or unix:///PATH.")
    }
    switch scheme {
    case "redis":
      guard let host = parts.host, !host.isEmpty, parts.query == nil, parts.fragment == nil else {
        throw Self.unusable(
          "The URL of the Redis server must have a host and no query; use redis://HOST:PORT/DATABASE.")
      }
      let name = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
      self.init(.tcp(host: name, port: parts.port ?? 6379), database: try Self.database(parts.path.dropFirst()))
    case "unix":
      let items = parts.queryItems ?? []
      guard !parts.path.isEmpty, (parts.host ?? "").isEmpty, items.allSatisfy({ $0.name == "db" }), items.count <= 1
      else { throw Self.unusable("The URL of a Unix-domain socket must be like unix:///PATH?db=DATABASE.") }
      self.init(.unix(path: parts.path), database: try Self.database((items.first?.value ?? "")[...]))
    case "rediss":
      throw Self.unusable(
        "TLS to a Redis server is not supported; use a Unix-domain socket, a private network or a tunnel.")
    default: throw Self.unusable("The URL of the Redis server must have the scheme redis or unix.")
    }
    username = parts.user.flatMap { $0.isEmpty ? nil : $0 }
    password = parts.password.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func database(_ text: Substring) throws(LupineError) -> Int {
    if text.isEmpty { return 0 }
    guard let number = Int(text), number >= 0 else {
      throw unusable("The database in the URL of the Redis server must be a number of 0 or more.")
    }
    return number
  }

  private static func unusable(_ message: String) -> LupineError { .unusable("redis", message) }

  /// Checks what the address and the user can be, so that a fault is reported once and not for each connection.
  func validate() throws(LupineError) {
    switch address {
    case .tcp(let host, let port):
      guard !host.isEmpty, !host.utf8.contains(0), (1...65_535).contains(port) else {
        throw Self.unusable("The Redis server needs a host and a port from 1 to 65535.")
      }
    case .unix(let path):
      guard (1...107).contains(path.utf8.count), !path.utf8.contains(0) else {
        throw Self.unusable("The path of the Redis server's socket must have 1 to 107 bytes and no NUL.")
      }
    }
    guard database >= 0 else { throw Self.unusable("The database of the Redis server must be 0 or more.") }
    guard username == nil || password != nil else {
      throw Self.unusable("The user of the Redis server needs a password.")
    }
  }
}
