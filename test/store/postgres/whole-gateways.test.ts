// Tests of whole gateways, run again with their rows on PostgreSQL: some in each run of the suite, all that can by `bun run test:postgres`.
import { expect, test } from 'bun:test'
import { hasPostgres } from '../../support/postgres.ts'

/** Quick tests of money and secrets. */
const FILES = [
  'test/chat/chat.test.ts',
  'test/images/token-prices.test.ts',
  'test/billing/account.test.ts',
  'test/kept-responses/lifetime.test.ts',
  'test/accounts/console.test.ts',
]

test.if(hasPostgres)(
  'quick tests of money and secrets pass with their rows on PostgreSQL',
  async () => {
    const child = Bun.spawn([process.execPath, 'test', '--timeout', '60000', ...FILES], {
      env: { ...process.env, TOLLGATE_TEST_ENGINE: 'postgres' },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, errors, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    const failed = `${out}${errors}`.split('\n').filter((line) => /^\(fail\)|^error:/.test(line))
    expect({ failed, status }).toEqual({ failed: [], status: 0 })
    expect(errors).toMatch(/^ *[1-9][0-9]{2,} pass$/m)
  },
  300_000,
)
