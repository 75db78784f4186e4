// Values that no nested literal of parameters takes: the compiler says what to write.

import Lupine

struct Label: Encodable {
  var name: String
}

func send(_ label: Label, over session: Session) {
  // expected-error@+1 {{A nested literal takes literals and ParameterValues.}}
  _ = session.request("https://example.com/", parameters: ["a": ["b": label, "c": 1]])
  // expected-error@+1 {{A nested literal takes literals and ParameterValues.}}
  _ = session.request("https://example.com/{a}", path: ["a": 1], parameters: ["a": ["b": label, "c": 1]])
  // expected-error@+1 {{A nested literal takes literals and ParameterValues.}}
  _ = session.download("https://example.com/", parameters: ["a": ["b": label, "c": 1]])
  // expected-error@+1 {{A nested literal takes literals and ParameterValues.}}
  _ = session.streamRequest("https://example.com/", parameters: ["a": ["b": label, "c": 1]])
}

func send(_ label: Label) {
  // expected-error@+1 {{A nested literal takes literals and ParameterValues.}}
  _ = Lupine.request("https://example.com/", parameters: ["a": ["b": label, "c": 1]])
  // expected-error@+1 {{A nested literal takes literals and ParameterValues.}}
  _ = Lupine.request("https://example.com/{a}", path: ["a": 1], parameters: ["a": ["b": label, "c": 1]])
  // expected-error@+1 {{A nested literal takes literals and ParameterValues.}}
  _ = Lupine.download("https://example.com/", parameters: ["a": ["b": label, "c": 1]])
  // expected-error@+1 {{A nested literal takes literals and ParameterValues.}}
  _ = Lupine.streamRequest("https://example.com/", parameters: ["a": ["b": label, "c": 1]])
}
