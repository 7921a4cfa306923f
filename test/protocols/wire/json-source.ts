// A generator of JSON texts: any spelling, whitespace and duplicate keys, with the place of each top-level field.
import fc from 'fast-check'

/** One field as it is written: `before` its key, `name` as `key`, the colon, and the value up to the comma. */
interface FieldSource {
  readonly name: string
  readonly before: string
  readonly key: string
  readonly colon: string
  readonly value: string
  readonly after: string
}

/** An object as it is written. */
interface ObjectSource {
  readonly head: string
  readonly fields: readonly FieldSource[]
  readonly tail: string
}

/** The text, with each value as in the source or from `valueText`, and `further` before the closing brace. */
export const textOf = (
  { head, fields, tail }: ObjectSource,
  valueText: (field: FieldSource) => string = ({ value }) => value,
  further = '',
): string =>
  `${head}${fields
    .map((field) => field.before + field.key + field.colon + valueText(field) + field.after)
    .join(',')}${further}${tail}`

/** The offset of each key in the bytes of the text. */
export const keyOffsets = ({ head, fields }: ObjectSource): number[] =>
  fields.map(({ before }, index) => {
    const previous = textOf({ head, fields: fields.slice(0, index), tail: index === 0 ? '' : ',' })
    return Buffer.byteLength(previous + before)
  })

const whitespace = fc.constantFrom('', '', '', ' ', '\n\t', '\r\n  ')

const escaped = (text: string): string =>
  [...Array(text.length).keys()]
    .map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('')

/** A string in JSON, with needless escapes of some characters. */
const spelled = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { maxLength: 3 })
    .map(
      (escapes) =>
        `"${[...text].map((one, at) => (escapes[at] ? escaped(one) : JSON.stringify(one).slice(1, -1))).join('')}"`,
    )

/** Content that looks like structure, in runs beyond the length from which the walk searches. */
const content = fc
  .array(fc.constantFrom('\\', '"', '{', '[', '}', ']', ',', ':', 'a', 'é😀', '"model":', 'x'.repeat(15)), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''))

const name = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('model', 'stream', 'n', 'x') },
  { weight: 1, arbitrary: fc.oneof(content, fc.constantFrom('', '__proto__', 'constructor', '7')) },
)

const scalar = fc.oneof(
  fc.constantFrom('0', '-0', '1.0', '1E2', '12345678901234567890', 'true', 'false', 'null', '"model"'),
  content.chain(spelled),
)

const { value } = fc.letrec<{ value: string; array: string; object: string }>((tie) => {
  const padded = fc.tuple(whitespace, tie('value'), whitespace).map((parts) => parts.join(''))
  const pair = fc.tuple(whitespace, name.chain(spelled), whitespace, padded)
  return {
    value: fc.oneof({ depthSize: 'small' }, scalar, tie('array'), tie('object')),
    array: fc
      .tuple(whitespace, fc.array(padded, { maxLength: 3 }))
      .map(([space, items]) => `[${space}${items.join(',')}]`),
    object: fc
      .tuple(whitespace, fc.array(pair, { maxLength: 3 }))
      .map(
        ([space, pairs]) =>
          `{${space}${pairs.map(([before, key, after, item]) => `${before}${key}${after}:${item}`).join(',')}}`,
      ),
  }
})

const field: fc.Arbitrary<FieldSource> = name.chain((text) =>
  fc.record({
    name: fc.constant(text),
    before: whitespace,
    key: spelled(text),
    colon: fc.tuple(whitespace, whitespace).map((spaces) => spaces.join(':')),
    value,
    after: whitespace,
  }),
)

/** Any object, of up to six fields. */
export const objectSource: fc.Arbitrary<ObjectSource> = fc.record({
  head: fc
    .tuple(fc.constantFrom('', '', '\ufeff'), whitespace, whitespace)
    .map(([mark, before, after]) => `${mark}${before}{${after}`),
  fields: fc.array(field, { maxLength: 6 }),
  tail: whitespace.map((space) => `}${space}`),
})
