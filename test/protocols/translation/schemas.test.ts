// JSON Schemas as each provider takes them: keywords that it refuses are rewritten or left out.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { strictSchema } from '../../../src/protocols/anthropic/schema.ts'
import { fromGeminiSchema, toGeminiSchema } from '../../../src/protocols/gemini/schema.ts'
import { strictIfAccepted } from '../../../src/protocols/openai/encode-request.ts'
import type { Json, JsonObject } from '../../../src/protocols/wire/json.ts'

describe('to Gemini', () => {
  const cases: readonly (readonly [string, JsonObject, JsonObject])[] = [
    [
      'oneOf is anyOf',
      { oneOf: [{ type: 'string' }, { type: 'null' }] },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ],
    ['const is an enumeration of one', { const: 'celsius' }, { type: 'string', enum: ['celsius'] }],
    ['a constant of another type is left out', { const: true, type: 'boolean' }, { type: 'boolean' }],
    ['a type that may be null stays a list', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    [
      'additionalProperties stays',
      { type: 'object', additionalProperties: false },
      { type: 'object', additionalProperties: false },
    ],
    [
      'definitions are $defs',
      { definitions: { a: { type: 'string' } }, $ref: '#/definitions/a' },
      { $ref: '#/$defs/a' },
    ],
    [
      'definitions are $defs at the top',
      { type: 'object', definitions: { a: { const: 1 } } },
      { type: 'object', $defs: { a: { type: 'number', enum: [1] } } },
    ],
    ['nothing is sent beside a reference', { $ref: '#/$defs/a', description: 'x' }, { $ref: '#/$defs/a' }],
    [
      'schemas that must all hold are merged into one',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { properties: { b: { type: 'number' } }, required: ['b'] },
        ],
      },
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a', 'b'] },
    ],
    [
      'unknown bounds are left out',
      { type: 'string', minLength: 1, pattern: '^a', $comment: 'x', $schema: 'x' },
      { type: 'string' },
    ],
    [
      'a property may be named like a keyword',
      { properties: { const: { const: 'x' }, pattern: { type: 'string' } } },
      { properties: { const: { type: 'string', enum: ['x'] }, pattern: { type: 'string' } } },
    ],
    ['a property of any value', { properties: { a: true } }, { properties: { a: {} } }],
  ]
  test.each(cases)('%s', (_name, schema, expected) => {
    expect(toGeminiSchema(schema)).toEqual(expected)
  })

  const KNOWN = new Set([
    '$id',
    '$anchor',
    '$defs',
    '$ref',
    'type',
    'format',
    'title',
    'description',
    'enum',
    'items',
    'prefixItems',
    'minItems',
    'maxItems',
    'minimum',
    'maximum',
    'anyOf',
    'properties',
    'additionalProperties',
    'required',
    'propertyOrdering',
  ])

  test('only documented keywords are sent, for any schema', () => {
    const keyword = fc.oneof(
      fc.constantFrom(
        'type',
        'oneOf',
        'anyOf',
        'allOf',
        'not',
        'if',
        'const',
        'pattern',
        '$schema',
        'items',
        'properties',
        '$ref',
        'definitions',
      ),
      fc.string({ maxLength: 5 }),
    )
    const { schema } = fc.letrec<{ schema: JsonObject; value: Json }>((tie) => ({
      schema: fc.dictionary(keyword, tie('value'), { maxKeys: 4 }),
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constant<Json>('x'),
        fc.constant<Json>(true),
        tie('schema'),
        fc.array(tie('schema'), { maxLength: 2 }),
      ),
    }))
    const check = (value: Json, named: boolean): void => {
      if (Array.isArray(value)) for (const item of value) check(item, false)
      else if (typeof value === 'object' && value !== null) {
        for (const [name, inner] of Object.entries(value)) {
          if (!named) expect(KNOWN).toContain(name)
          if (
            ![
              'enum',
              'type',
              'required',
              'title',
              'description',
              'format',
              'minItems',
              'maxItems',
              'minimum',
              'maximum',
              '$id',
              '$anchor',
              'propertyOrdering',
            ].includes(name) ||
            named
          )
            check(inner, !named && (name === 'properties' || name === '$defs'))
        }
      }
    }
    fc.assert(
      fc.property(schema, (value) => check(toGeminiSchema(value), false)),
      { numRuns: 300 },
    )
  })
})

describe('from Gemini', () => {
  const cases: readonly (readonly [string, JsonObject, JsonObject])[] = [
    [
      'types in capitals',
      { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
      { type: 'object', properties: { a: { type: 'string' } } },
    ],
    ['nullable is a type', { type: 'STRING', nullable: true }, { type: ['string', 'null'] }],
    [
      'a nullable enumeration has null in it',
      { type: 'STRING', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'nullable without a type is an alternative',
      { anyOf: [{ type: 'STRING' }], nullable: true },
      { anyOf: [{ anyOf: [{ type: 'string' }] }, { type: 'null' }] },
    ],
    [
      'counts that are text are numbers',
      { type: 'ARRAY', maxItems: '5', min_items: 1, items: { type: 'INTEGER' } },
      { type: 'array', maxItems: 5, minItems: 1, items: { type: 'integer' } },
    ],
    [
      'formats that JSON Schema does not have are left out',
      { type: 'STRING', format: 'enum', enum: ['a'] },
      { type: 'string', enum: ['a'] },
    ],
    [
      'formats of JSON Schema stay',
      { type: 'STRING', format: 'date-time' },
      { type: 'string', format: 'date-time' },
    ],
    [
      'the order of properties is left out',
      { type: 'OBJECT', propertyOrdering: ['a'], example: {} },
      { type: 'object' },
    ],
  ]
  test.each(cases)('%s', (_name, schema, expected) => {
    expect(fromGeminiSchema(schema)).toEqual(expected)
  })
})

describe('to Claude, for structured output', () => {
  test('every object is closed, and refused bounds are left out', () => {
    expect(
      strictSchema({
        $schema: 'x',
        type: 'object',
        properties: {
          a: { type: 'object', properties: { minimum: { type: 'number', minimum: 1 } } },
          b: { oneOf: [{ type: 'string', maxLength: 3 }] },
        },
        $defs: { c: { type: 'array', minItems: 2, items: { type: 'object' } } },
      }),
    ).toEqual({
      type: 'object',
      additionalProperties: false,
      properties: {
        a: { type: 'object', additionalProperties: false, properties: { minimum: { type: 'number' } } },
        b: { anyOf: [{ type: 'string' }] },
      },
      $defs: { c: { type: 'array', items: { type: 'object', additionalProperties: false } } },
    })
  })

  test('data inside a schema is not read as a schema', () => {
    const schema = { type: 'string', enum: ['minimum'], default: { minimum: 1 } }
    expect(strictSchema(schema)).toEqual(schema)
  })
})

describe('to OpenAI, with strict', () => {
  test.each([
    [true, { type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: false }, true],
    [true, { type: 'object', properties: { a: {} }, required: [], additionalProperties: false }, undefined],
    [true, { type: 'object', properties: { a: {} }, required: ['a'] }, undefined],
    [true, { anyOf: [{ type: 'object' }] }, undefined],
    [true, { type: 'string', default: { type: 'object' } }, true],
    [false, { type: 'object' }, false],
    [undefined, { type: 'object' }, undefined],
  ])('strict %p for %o is sent as %p', (strict, schema, expected) => {
    expect(strictIfAccepted(strict, schema as JsonObject)).toBe(expected)
  })
})
