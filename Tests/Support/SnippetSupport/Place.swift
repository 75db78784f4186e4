public import Lupine
import LupineMock
import LupineTesting

/// The transport and the addresses that an example uses in place of the public hosts in its code.
///
/// It is installed last, so that no other adapter changes an address after it.
public struct Place: Plugin {
  let transport: any Transport
  let origins: [String: String]
  /// The scripted server, which runs as long as this value exists.
  var server: ScriptedServer?

  /// Sets the transport, installs the compression and maps the hosts.
  public func install(in builder: inout Session.Builder) {
    builder = builder.transport(transport).install(.compression).adapter(OriginMap(origins))
  }
}
