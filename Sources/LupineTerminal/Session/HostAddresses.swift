#if Terminal
  import LupineCore

  /// The addresses of a host that `--resolve` states, such as `example.com:192.0.2.1,[2001:db8::1]`.
  struct HostAddresses: Equatable {
    let host: String
    /// The addresses in the order in which they are tried, without brackets.
    private(set) var addresses: [String]

    private static let advice = "Write HOST:ADDRESS or HOST:ADDRESS,ADDRESS, without a port"

    /// - Throws: `CommandFailure` if the host is missing, or if an address is none of IPv4 or IPv6.
    init(_ text: String) throws {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
        throw CommandFailure(
          "--resolve: \(text.debugDescription) has no host or no address. \(Self.advice), such as example.com:127.0.0.1.",
          .usage)
      }
      host = String(parts[0])
      addresses = try parts[1].split(separator: ",", omittingEmptySubsequences: false).map { try Self.address($0) }
    }

    /// Reads the values of the option; those of one host are put together in their order.
    static func read(_ texts: [String]) throws -> [HostAddresses] {
      var hosts: [HostAddresses] = []
      for text in texts {
        let entry = try HostAddresses(text)
        if let index = hosts.firstIndex(where: { $0.host.lowercased() == entry.host.lowercased() }) {
          hosts[index].addresses += entry.addresses
        } else {
          hosts.append(entry)
        }
      }
      return hosts
    }

    /// Returns an address without the brackets that an IPv6 address may have.
    private static func address(_ text: Substring) throws -> String {
      let isBracketed = text.hasPrefix("[") && text.hasSuffix("]") && text.contains(":")
      let address = String(isBracketed ? text.dropFirst().dropLast() : text)
      guard IPAddress(address) != nil else {
        throw CommandFailure("--resolve: \(String(text).debugDescription) is no IP address. \(advice).", .usage)
      }
      return address
    }
  }
#endif
