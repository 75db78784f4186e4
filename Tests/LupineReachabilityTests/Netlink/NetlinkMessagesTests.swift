import CNetlink
import Glibc
import LupineCore
import Testing

@testable import LupineReachability

@Suite struct NetlinkMessagesTests {
  @Test func `a recorded dump of links is read`() {
    let links = messages(Recorded.links).compactMap { if case .link(let link) = $0 { link } else { nil } }
    #expect(links.map(\.name) == ["lo", "up0", "br0"])
    #expect(links.map(\.driver) == [nil, "veth", "bridge"])
    #expect(links.map(\.isRunning) == [true, true, false])
    #expect(links.first?.hardware == LinkFacts.loopbackHardware)
  }

  @Test func `a recorded dump of addresses is read`() {
    let addresses = messages(Recorded.addresses).compactMap { if case .address(let facts) = $0 { facts } else { nil } }
    #expect(addresses.filter(\.isGlobal).map(\.key.address.description) == ["192.0.2.2", "2001:db8::2"])
    #expect(Set(addresses.map(\.key.address.description)).isSuperset(of: ["127.0.0.1", "::1"]))
  }

  @Test func `a recorded dump of routes is read`() {
    let routes = messages(Recorded.routes).compactMap { if case .route(let facts) = $0 { facts } else { nil } }
    let defaults = routes.filter { $0.isDefault && $0.isForwarding }
    #expect(defaults.map(\.family) == [.ipv4, .ipv6])
    #expect(defaults[0].hops.map { $0.gateway?.description } == ["192.0.2.1", "192.0.2.3"])
    #expect(defaults[0].metric == 100)
    #expect(defaults[1].hops.map { $0.gateway?.description } == ["2001:db8::1"])
    #expect(routes.contains { !$0.isForwarding })
  }

  @Test func `a recorded answer about one address is no entry of the table`() throws {
    guard case .route(let route) = try #require(messages(Recorded.routeTo).first) else {
      Issue.record("no route")
      return
    }
    #expect(!route.isDefault && route.isForwarding)
    #expect(route.hops.first?.gateway != nil)
  }

  @Test func `a recorded refusal is an error`() {
    #expect(messages(Recorded.noRoute) == [.answer(EHOSTUNREACH)])
  }

  @Test func `a datagram cut off anywhere is read as far as it goes`() {
    #expect(Recorded.all.count > 20)
    for datagram in Recorded.all {
      let whole = messages([datagram]).count
      for length in 0..<datagram.count {
        #expect(messages([Array(datagram[..<length])]).count <= whole)
      }
    }
  }

  @Test(arguments: [UInt8(0), 1, 0x7F, 0x80, 0xFF])
  func `a wrong byte at any place is harmless`(value: UInt8) {
    for datagram in Recorded.all {
      for index in datagram.indices {
        var bytes = datagram
        bytes[index] = value
        #expect(messages([bytes]).count <= bytes.count / 16)
      }
    }
  }

  @Test(arguments: [UInt32(0), 1, 15, 21, 0x7FFF_FFFF, 0xFFFF_FFFF])
  func `a message with a wrong length ends the datagram`(length: UInt32) {
    var bytes = Datagram().message(Int(NLMSG_DONE), Datagram.number(0)).bytes
    withUnsafeBytes(of: length) { bytes.replaceSubrange(0..<4, with: $0) }
    #expect(messages([bytes]).isEmpty)
  }

  @Test(arguments: [UInt16(0), 3, 0xFFFF])
  func `an attribute with a wrong length ends the attributes`(length: UInt16) {
    var content = Datagram.link(4, "eth0")
    withUnsafeBytes(of: length) { content.replaceSubrange(16..<18, with: $0) }
    #expect(messages([Datagram().message(RTM_NEWLINK, content).bytes]).isEmpty)
  }

  @Test func `a hop whose length is nothing ends the hops`() {
    var content = Datagram.route(interface: 1)
    content += Datagram.attribute(Int(RTA_MULTIPATH.rawValue), [UInt8](repeating: 0, count: 16))
    guard case .route(let route)? = messages([Datagram().message(RTM_NEWROUTE, content).bytes]).first else {
      Issue.record("no route")
      return
    }
    #expect(route.hops.map(\.interface) == [1])
  }

  @Test func `a bridge's message about its port is no link`() {
    let content = Datagram.link(4, "eth0", family: 7)
    #expect(messages([Datagram().message(RTM_DELLINK, content).message(RTM_NEWLINK, content).bytes]).isEmpty)
  }

  private func messages(_ datagrams: [[UInt8]]) -> [KernelMessage] {
    datagrams.flatMap { datagram in
      datagram.withUnsafeBytes { bytes in NetlinkMessages(bytes).compactMap { KernelMessage($0) } }
    }
    .filter { $0 != .done(0) }
  }
}
