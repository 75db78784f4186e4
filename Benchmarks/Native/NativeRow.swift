import LupineNative
import Requests
import Row

/// The row of Lupine with only the core and the native transport.
@main enum NativeRow {
  static func main() {
    Work.run { work in
      var configuration = NativeTransport.Configuration()
      configuration.certificateAuthorities = work.authorities
      configuration.connections += work.idle
      if work.idle > 0 { configuration.connectionsPerHost = work.idle }
      let transport = NativeTransport(configuration)
      try await Requests.measure(work, over: transport, transport.executor) { $0 }
    }
  }
}
