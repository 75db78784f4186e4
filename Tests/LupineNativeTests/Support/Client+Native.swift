import LupineCore
import LupineNative
import TransportSupport

extension Client {
  /// A client of a native transport; `Client()` would use libcurl.
  static func native(_ configuration: NativeTransport.Configuration) -> Client {
    Client(NativeTransport(configuration))
  }

  /// A client of a native transport with this number of loops on any machine; one by default.
  static func native(loops: Int = 1, _ network: NetworkSettings = NetworkSettings()) -> Client {
    var configuration = NativeTransport.Configuration(network)
    configuration.loops = loops
    return native(configuration)
  }
}
