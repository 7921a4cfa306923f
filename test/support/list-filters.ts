// Shared checks that a list's query applies the filters by account, key and period.
import { expect } from 'bun:test'
import type { ListPageRequest, Owner, Reading } from '../../src/app/list/list.ts'
import type { Awaitable, Db } from '../../src/store/db.ts'
import type { Page } from '../../src/store/page.ts'

interface Filter {
  account_id: number | undefined
  key_ids: readonly number[] | undefined
  since_ms: number | undefined
  until_ms: number | undefined
}

interface OwnedRow {
  account_id?: number | null
  key_id?: number | null
}

interface ListOfRows<Row, Own extends Filter> {
  name: string
  of: Owner
  max_rows: number
  selects?: readonly ('account' | 'key' | 'period')[]
  read(db: Db, filter: Own, page: ListPageRequest, reading: Reading): Awaitable<Page<Row> | undefined>
}

/**
 * Expects that each filter of a list selects exactly its own rows, and excludes some. The database has rows of two accounts, of two keys
 * for a list `of: 'key'`, and of two times.
 * @param at the time of a row by which a period selects it
 */
export async function expectFilters<Row extends OwnedRow, Own extends Filter>(
  db: Db,
  list: ListOfRows<Row, Own>,
  at: (row: Row) => number,
): Promise<void> {
  const none: Filter = { account_id: undefined, key_ids: undefined, since_ms: undefined, until_ms: undefined }
  const read = async (filter: Partial<Filter>) => {
    const page = await list.read(db, { ...none, ...filter } as Own, { limit: list.max_rows }, { now_ms: 0 })
    return page?.rows ?? []
  }
  const all = await read({})
  const selects = list.selects ?? ['account', 'key', 'period']
  const filters: [Partial<Filter>, (row: Row) => boolean][] = all.flatMap((one) => [
    ...onlyIf<Row>(
      list.of !== 'operator',
      { account_id: one.account_id ?? undefined },
      (row) => row.account_id === one.account_id,
    ),
    ...onlyIf<Row>(
      list.of === 'key',
      { key_ids: one.key_id == null ? undefined : [one.key_id] },
      (row) => row.key_id === one.key_id,
    ),
    ...onlyIf<Row>(list.of === 'key', { key_ids: [] }, () => false),
    ...onlyIf<Row>(selects.includes('period'), { since_ms: at(one) }, (row) => at(row) >= at(one)),
    ...onlyIf<Row>(selects.includes('period'), { until_ms: at(one) }, (row) => at(row) < at(one)),
  ])
  const excluding = new Set<string>()
  for (const [filter, fits] of filters) {
    const [[name, value] = ['', undefined]] = Object.entries(filter)
    if (value === undefined) continue
    const expected = all.filter(fits)
    expect([list.name, filter, await read(filter)]).toEqual([list.name, filter, expected])
    if (expected.length < all.length) excluding.add(name)
  }
  // A filter that excludes no row is not tested by these rows.
  expect([...excluding].sort()).toEqual(
    [...new Set(filters.map(([filter]) => Object.keys(filter)[0] ?? ''))].sort(),
  )
}

const onlyIf = <Row>(
  condition: boolean,
  filter: Partial<Filter>,
  fits: (row: Row) => boolean,
): [Partial<Filter>, (row: Row) => boolean][] => (condition ? [[filter, fits]] : [])
