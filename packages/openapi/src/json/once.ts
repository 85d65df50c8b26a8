interface Store<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** Gets the value of a key; creates and inserts it on first use. */
export const getOrInsert = <Key, Value>(
  map: Store<Key, Value>,
  key: Key,
  make: (key: Key) => Value,
): Value => {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  map.set(key, made);
  return made;
};

/** Creates a value lazily. */
export const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** Creates a value for each key, on first use. */
export const oncePerKey = <Key, T>(make: (key: Key) => T): ((key: Key) => T) => {
  const made = new Map<Key, T>();
  return (key) => getOrInsert(made, key, make);
};

/** Creates a value for each object, on first use, and caches it weakly. */
export const oncePerObject = <Key extends object, T>(make: (key: Key) => T): ((key: Key) => T) => {
  const made = new WeakMap<Key, T>();
  return (key) => getOrInsert(made, key, make);
};
