/// What a request is given as parameters when they have no type of their own.
///
/// A literal may nest and mix: `["foo": "bar", "baz": ["a", 1], "qux": ["x": 1, "y": true]]`.
public typealias Parameters = [String: JSONValue]
