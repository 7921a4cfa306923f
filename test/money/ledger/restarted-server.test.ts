// A PostgreSQL server that crashes under load: all answers are true, and calls go on once it is back.
import { test } from 'bun:test'
import { openSharedLedger } from '../../../src/money/ledger/postgres/executor.ts'
import { eventually } from '../../support/eventually.ts'
import { IS_LONG, timeoutMs } from '../../support/long.ts'
import { NATIVE } from '../../support/postgres-program.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import { SEED } from '../../support/seed.ts'
import { AnsweredCalls, expectAsAnswered, keyOf, makeCalls } from './calls-at-once.ts'
import { keyText, worldAt } from './postgres-world.ts'
import { randomFrom } from './random.ts'
import { topUp } from './world.ts'

const CRASHES = IS_LONG ? 10 : 2
const CALLS_BETWEEN = 40
const ACCOUNTS = [1, 2]
const LANES = 6

test.if(NATIVE !== undefined)(
  `the answers stay true over ${CRASHES} crashes of the server under load, TOLLGATE_SEED=${SEED}`,
  async () => {
    await using server = await startPostgres(NATIVE ?? '')
    await eventually('it answers', () =>
      worldAt(server.url).then(
        (there) => there[Symbol.asyncDispose]().then(() => true),
        () => false,
      ),
    )
    await using there = await worldAt(server.url)
    await there.begin({})
    for (const id of ACCOUNTS) await there.run(keyText(keyOf(id), id))
    await there.commit(ACCOUNTS.map((id) => topUp(1_000_000, id)))
    const ledgers = [1, 2].map(() => openSharedLedger(server.url))
    const answered = new AnsweredCalls()
    const random = randomFrom(SEED)
    let is_over = false
    const lane = async (at: number) => {
      while (!is_over) {
        const ledger = ledgers[at % ledgers.length]
        if (ledger) await makeCalls(ledger, answered, { random, calls: 1, accounts: ACCOUNTS.length })
      }
    }
    const lanes = Array.from({ length: LANES }, (_, at) => lane(at))
    for (let crash = 0; crash < CRASHES; crash++) {
      const before = answered.costs.size
      await eventually('they work', () => answered.costs.size > before + CALLS_BETWEEN)
      await server.crash()
    }
    const before = answered.costs.size
    await eventually('they work again', () => answered.costs.size > before + CALLS_BETWEEN)
    is_over = true
    await Promise.all(lanes)
    for (const ledger of ledgers) await ledger.close()
    await expectAsAnswered(there.db, answered)
  },
  timeoutMs(60_000),
)
