import LupineNative
import TransportSupport

extension Client {
  /// A client of a native transport; `Client()` would use libcurl.
  static func native(_ configuration: NativeTransport.Configuration = NativeTransport.Configuration()) -> Client {
    Client(NativeTransport(configuration))
  }
}
