// Pages of lists: the number of entries, and the start of the next page.
import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { PAGE_PARAMETERS, pageFields, pageOf } from '../../src/http/paging.ts'

test('a page has 50 entries by default', () => {
  expect(pageOf({})).toEqual({ limit: 50, cursor: undefined })
  expect(pageOf({ limit: 3, cursor: 9 })).toEqual({ limit: 3, cursor: 9 })
})

test('a page has at most 1000 entries', () => {
  const Query = Type.Object(PAGE_PARAMETERS)
  expect([Value.Check(Query, { limit: '1000' }), Value.Check(Query, { limit: '1001' })]).toEqual([
    true,
    false,
  ])
})

test('the last page has null as next_cursor', () => {
  expect([pageFields({ next_cursor: 7 }), pageFields({ next_cursor: undefined })]).toEqual([
    { next_cursor: 7 },
    { next_cursor: null },
  ])
})
