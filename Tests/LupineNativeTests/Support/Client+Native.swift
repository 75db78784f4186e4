import LupineCore
import LupineNative
import TransportSupport

extension Client {
  /// A client of a native transport; `Client()` would use libcurl.
  static func native(_ configuration: NativeTransport.Configuration = NativeTransport.Configuration()) -> Client {
    Client(NativeTransport(configuration))
  }

  /// A client of a native transport with several loops.
  static func native(loops: Int, _ network: NetworkSettings = NetworkSettings()) -> Client {
    var configuration = NativeTransport.Configuration(network)
    configuration.loops = loops
    return native(configuration)
  }
}
