// The rate limit of the image endpoints over several gateways: they count together, by the clock of the database.
import { beforeEach, describe, expect, test } from 'bun:test'
import { openPostgres } from '../../../src/store/engines/postgres/open.ts'
import { createSharedRate, sweepRates } from '../../../src/store/engines/postgres/rates.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'

const { url, db } = await databaseOfFile()

describe.if(hasPostgres)('the image rate of gateways over one database', () => {
  const rate = createSharedRate(db)
  const accounts = async () =>
    (await db.rows<{ id: number }>('SELECT id FROM image_rates ORDER BY id')).map(({ id }) => id)
  /** Moves all calls into the past, as if time had gone by. */
  const passes = (ms: number) =>
    db.write((db) =>
      db.rows(
        `UPDATE image_rates SET taken =
          (SELECT json_agg(value::bigint - $ms ORDER BY value::bigint) FROM json_each(taken))::text`,
        { ms },
      ),
    )
  const take = async (times: number) => {
    for (let taken = 0; taken < times; taken++) await rate.take(1, 30)
  }

  beforeEach(() => db.write((db) => db.rows('DELETE FROM image_rates')))

  test('admits exactly 30 of 31 simultaneous calls at two of them, each with another rest', async () => {
    await using other = await openPostgres(url)
    const rates = [rate, createSharedRate(other)]
    const states = await Promise.all(Array.from({ length: 31 }, (_, at) => rates[at % 2]?.take(1, 30)))
    const admitted = states.filter((state) => state?.admitted)
    expect(admitted.map((state) => state?.remaining).sort((a = 0, b = 0) => a - b)).toEqual(
      Array.from({ length: 30 }, (_, at) => at),
    )
    expect(states.filter((state) => !state?.admitted)).toMatchObject([{ limit: 30, remaining: 0 }])
  })

  test('counts neither a refused call nor a look', async () => {
    await take(30)
    const before = await db.rows('SELECT * FROM image_rates')
    for (let times = 0; times < 3; times++) expect(await rate.take(1, 30)).toMatchObject({ admitted: false })
    expect(await rate.look(1, 30)).toMatchObject({ admitted: false, remaining: 0 })
    expect(await db.rows('SELECT * FROM image_rates')).toEqual(before)
  })

  test('counts the calls of the last 60 seconds, for each account by itself', async () => {
    expect(await rate.look(1, 30)).toEqual({ admitted: true, limit: 30, remaining: 30, resets_in_s: 0 })
    await take(20)
    await passes(30_000)
    await take(10)
    await passes(20_000)
    const refused = await rate.take(1, 30)
    expect(refused).toMatchObject({ admitted: false, remaining: 0 })
    expect(Math.ceil(refused.resets_in_s / 10)).toBe(1)
    expect(await rate.take(2, 30)).toMatchObject({ admitted: true, remaining: 29 })
    await passes(10_000)
    expect(await rate.look(1, 30)).toMatchObject({ admitted: true, remaining: 20 })
    const next = await rate.take(1, 30)
    expect(next).toMatchObject({ admitted: true, remaining: 19 })
    // The next ten expire together.
    expect(Math.ceil(next.resets_in_s / 30)).toBe(1)
    const [row] = await db.rows<{ taken: string }>('SELECT taken FROM image_rates WHERE id = 1')
    expect(JSON.parse(row?.taken ?? '')).toHaveLength(11)
  })

  test('follows the limit of the catalogue when it is lowered and raised', async () => {
    await take(10)
    expect(await rate.take(1, 4)).toMatchObject({ admitted: false, limit: 4, remaining: 0 })
    expect(await rate.look(1, 10)).toMatchObject({ admitted: false, limit: 10, remaining: 0 })
    expect(await rate.take(1, 12)).toMatchObject({ admitted: true, limit: 12, remaining: 1 })
    expect(await rate.look(1, 100)).toMatchObject({ admitted: true, limit: 100, remaining: 89 })
  })

  test('locks nobody out for an hour if the clock of the server is set back by an hour', async () => {
    await take(30)
    await passes(-3_600_000)
    expect(await rate.look(1, 30)).toMatchObject({ admitted: true, remaining: 30 })
    expect(await rate.take(1, 30)).toMatchObject({ admitted: true, remaining: 29 })
    await take(29)
    const refused = await rate.take(1, 30)
    expect(refused.admitted).toBe(false)
    expect(refused.resets_in_s).toBeLessThanOrEqual(60)
    await passes(-3_600_000)
    await sweepRates(db)
    expect(await accounts()).toEqual([])
  })

  test('loses in a sweep the accounts without a call in 60 seconds', async () => {
    await take(1)
    await passes(60_000)
    await rate.take(2, 30)
    await sweepRates(db)
    expect(await accounts()).toEqual([2])
  })
})
