// The option that an address names: what stands there can be anything.

type Options<V extends string> = readonly [{ value: V }, ...{ value: V }[]]

/** @returns the first value where the address names none of them */
export const oneOf = <const V extends string>(values: readonly [V, ...V[]], value: string): V =>
  values.find((each) => each === value) ?? values[0]

/** The same of a choice. */
export const optionOf = <const V extends string>(options: Options<V>, value: string): V =>
  (options.find((option) => option.value === value) ?? options[0]).value
