// Messages of refusals, from the faults in a request.
import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { faultsIn } from '../../src/domain/validation.ts'
import { refusalOf } from '../../src/http/refusal.ts'

const Schema = Type.Object(
  {
    urls: Type.Optional(Type.Array(Type.String({ must: 'a URL' }), { must: 'an array of URLs' })),
    id: Type.String({ pattern: '^x', must: 'an id', code: 'bad_id' }),
  },
  { additionalProperties: false },
)
const refusal = (value: unknown, noun: 'parameter' | 'field') => refusalOf([...faultsIn(Schema, value)], noun)

describe('the message names the field, the fault and the remedy', () => {
  test.each<[value: unknown, noun: 'parameter' | 'field', message: string]>([
    [{ id: 'y' }, 'field', 'id: must be an id.'],
    [{}, 'field', 'id: is missing; it must be an id.'],
    [{ id: 'x', colour: 1 }, 'field', 'colour: unknown field; allowed: urls, id.'],
    [{ id: 'x', colour: 1 }, 'parameter', 'colour: unknown parameter; allowed: urls, id.'],
    [{ id: 'x', urls: ['a', 2] }, 'field', 'urls[1]: must be a URL.'],
    [{ id: ['x', 'x'] }, 'parameter', 'id: is given more than once.'],
    [{ id: ['x', 'x'] }, 'field', 'id: must be an id.'],
    [{ colour: 1 }, 'field', 'id: is missing; it must be an id. colour: unknown field; allowed: urls, id.'],
  ])('%j as a %s', (value, noun, message) => {
    expect(refusal(value, noun)).toMatchObject({ kind: 'invalid_request', message })
  })

  test('without any allowed parameter it says so', () => {
    const faults = [...faultsIn(Type.Object({}, { additionalProperties: false }), { x: 1 })]
    expect(refusalOf(faults, 'parameter').message).toBe('x: unknown parameter; allowed: none.')
  })
})

test('`param` and `code` are those of the first fault', () => {
  expect(refusal({ id: 'y' }, 'field')).toMatchObject({ param: 'id', code: 'bad_id' })
  expect(refusal({ id: 'x', urls: [1] }, 'field')).toMatchObject({ param: 'urls[0]', code: undefined })
})

test('a long name from the caller is shortened', () => {
  const { message, param } = refusal({ id: 'x', ['y'.repeat(5_000)]: 1 }, 'field')
  expect([param?.length, message.length < 200]).toEqual([64, true])
})

test('the message contains no value', () => {
  expect(refusal({ id: 's3cret', s: 's3cret' }, 'field').message).not.toContain('s3cret')
})
