import CNetlink
import LupineCore
import Testing

@testable import LupineReachability

@Suite struct NetworkStateTests {
  @Test(arguments: [
    (["wwan"], ReachabilityStatus.reachable(.cellular)),
    (["veth"], .reachable(.ethernetOrWiFi)),
    (["wwan", "veth"], .reachable(.cellular)),
    (["veth", "wwan"], .reachable(.ethernetOrWiFi)),
  ])
  func `the route that the kernel prefers decides the kind`(drivers: [String], status: ReachabilityStatus) {
    let path = path { state in
      for (number, driver) in drivers.enumerated() {
        let index = Int32(number + 1)
        _ = state.set(link(index, driver: driver)) { InterfaceClassifier(folder: "/nowhere").kind(of: $0) }
        state.add(route(index, metric: UInt32(number)))
      }
      _ = state.set(address(1, .sample))
    }
    #expect(path.status == status)
    #expect(path.isExpensive == (status == .reachable(.cellular)))
  }

  @Test func `a link of an unrecognised kind is unknown, with the reason`() {
    let path = path { state in
      _ = state.set(link(1, driver: nil)) { InterfaceClassifier(folder: "/nowhere").kind(of: $0) }
      _ = state.set(address(1, .sample))
      state.add(route(1))
    }
    #expect(path.status == .unknown(.interfaceKindUnknown("/nowhere/net1 cannot be read")))
    #expect(path.defaultRoutes.count == 1)
  }

  @Test func `a renamed link keeps its kind while its files do not exist yet`() {
    var state = NetworkState()
    _ = state.set(link(1)) { _ in .wifi }
    var renamed = link(1)
    renamed.name = "other"
    #expect(state.set(renamed) { _ in .unknown("gone") })
    #expect(state.path(dnsServers: []).interfaces.map(\.kind) == [.wifi])
  }

  @Test(arguments: [
    (UInt8(253), UInt32(0)), (UInt8(0), UInt32(IFA_F_TENTATIVE)), (UInt8(0), UInt32(IFA_F_DADFAILED)),
  ])
  func `a link-local or tentative address is no route to the network`(scope: UInt8, flags: UInt32) throws {
    var kernel = KernelDouble()
    kernel.addresses = [Datagram.address(1, .sample, scope: scope, flags: flags)]
    kernel.run()
    #expect(kernel.paths.map(\.status) == [.notReachable])
  }

  @Test(arguments: [
    Datagram.route(interface: 1, type: RTN_UNREACHABLE), Datagram.route(interface: 1, type: RTN_BLACKHOLE),
    Datagram.route(interface: 1, table: 255), Datagram.route(interface: 1, length: 8), Datagram.route(interface: 9),
    Datagram.route(.ipv6, interface: 1), Datagram.route(interface: 1, flags: UInt32(RTNH_F_DEAD)),
    Datagram.route(interface: 1, flags: UInt32(RTNH_F_LINKDOWN)), Datagram.route(interface: 1, flags: 0x200),
  ])
  func `a route that leads nowhere is no way out`(route: [UInt8]) {
    var kernel = KernelDouble()
    kernel.routes = [route]
    kernel.run()
    #expect(kernel.paths.map(\.status) == [.notReachable])
  }

  private func path(_ fill: (inout NetworkState) -> Void) -> NetworkPath {
    var state = NetworkState()
    fill(&state)
    return state.path(dnsServers: [])
  }

  private func link(_ index: Int32, driver: String? = "veth") -> LinkFacts {
    LinkFacts(index: index, name: "net\(index)", isUp: true, isRunning: true, driver: driver)
  }

  private func address(_ interface: Int32, _ address: IPAddress) -> AddressFacts {
    AddressFacts(key: .init(interface: interface, address: address, prefixLength: 24), isGlobal: true)
  }

  private func route(_ interface: Int32, metric: UInt32 = 0) -> RouteFacts {
    RouteFacts(
      family: .ipv4, prefixLength: 0, table: 254, metric: metric, isForwarding: true,
      hops: [RouteFacts.Hop(interface: interface)])
  }
}
