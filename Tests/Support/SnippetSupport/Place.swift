public import Lupine
import LupineMock
import LupineTesting

/// Where an example's session really goes; its own lines name public hosts.
///
/// Installed last, so that nothing changes an address behind it.
public struct Place: Plugin {
  let transport: any Transport
  let origins: [String: String]
  /// Serves as long as the place is held.
  var server: ScriptedServer?

  /// Sets the transport and maps the hosts.
  public func install(in builder: inout Session.Builder) {
    builder = builder.transport(transport).install(.compression).adapter(OriginMap(origins))
  }
}
