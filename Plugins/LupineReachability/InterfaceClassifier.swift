import LupineCore

/// Determines an interface's kind from its netlink message, or else from sysfs.
struct InterfaceClassifier: Sendable {
  private static let virtualDrivers: Set<String> = [
    "bareudp", "bond", "dummy", "geneve", "gre", "gretap", "ifb", "ip6gre", "ip6tnl", "ipip", "ipvlan", "macvlan",
    "macvtap", "netkit", "sit", "team", "tun", "veth", "vlan", "vrf", "vti", "vxlan", "wireguard", "xfrm",
  ]

  /// The folder with an entry for each interface.
  var folder = "/sys/class/net"

  /// Returns the kind of the interface.
  ///
  /// An entry of another interface with the same name, such as after a renaming, is ignored.
  func kind(of link: LinkFacts) -> NetworkInterface.Kind {
    if link.hardware == LinkFacts.loopbackHardware { return .loopback }
    if let kind = kindOfDriver(link.driver) { return kind }
    guard !link.name.contains("/"), link.name != ".." else { return .unknown("its name is invalid") }
    let entry = "\(folder)/\(link.name)"
    guard let index = TextFile.contents("\(entry)/ifindex") else { return .unknown("\(entry) cannot be read") }
    guard Int32(index.prefix { $0.isNumber }) == link.index else { return .unknown("\(entry) is another interface") }
    return kindInFiles(entry)
  }

  private func kindOfDriver(_ driver: String?) -> NetworkInterface.Kind? {
    switch driver {
    case "wwan": .cellular
    case "bridge": .bridge
    case .some(let driver) where Self.virtualDrivers.contains(driver): .virtual
    default: nil
    }
  }

  private func kindInFiles(_ entry: String) -> NetworkInterface.Kind {
    let event = TextFile.contents("\(entry)/uevent") ?? ""
    let type = event.split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") }?.dropFirst("DEVTYPE=".count)
    if type == "wwan" { return .cellular }
    if type == "wlan" || TextFile.exists("\(entry)/wireless") || TextFile.exists("\(entry)/phy80211") { return .wifi }
    if type == "bridge" || TextFile.exists("\(entry)/bridge") { return .bridge }
    return isVirtual(entry) ? .virtual : .ethernet
  }

  private func isVirtual(_ entry: String) -> Bool {
    TextFile.target(ofLink: entry)?.contains("/devices/virtual/") ?? false
  }
}

/// The name servers of `/etc/resolv.conf`.
struct ResolverFile: Sendable {
  var path = "/etc/resolv.conf"

  /// Returns the addresses in their order, without scopes such as `%eth0`; empty if the file cannot be read.
  func servers() -> [IPAddress] {
    guard let text = TextFile.contents(path) else { return [] }
    return text.split(separator: "\n").compactMap { line in
      let words = line.split { $0 == " " || $0 == "\t" }
      guard words.count >= 2, words[0] == "nameserver" else { return nil }
      return IPAddress(String(words[1].prefix { $0 != "%" }))
    }
  }
}
