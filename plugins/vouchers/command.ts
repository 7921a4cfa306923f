// Command `voucher`: create, list, redeem and revoke vouchers.
import type { Command } from 'commander'
import { accountByName } from '../../src/access/accounts.ts'
import { amountReader, readCount, readExpiry } from '../../src/app/command-line/arguments.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import { withDatabase } from '../../src/app/command-line/data-folder.ts'
import { openMoneyMover } from '../../src/app/command-line/money.ts'
import { addExample, type CliDeps, commandGroup } from '../../src/app/command-line/terminal.ts'
import { listCommand } from '../../src/app/list/command.ts'
import { formatUsd, type Nanos } from '../../src/domain/money.ts'
import { type CsvColumns, csvOf, csvTime, csvUsd } from '../../src/http/csv.ts'
import { money, time } from '../../src/http/views.ts'
import { counted } from '../../src/utilities/counted.ts'
import { createVouchers, MAX_COUNT } from './creating.ts'
import { revokeBatch, revokeVoucher } from './ending.ts'
import { voucher_batch_list, voucher_list } from './list.ts'
import { redeemVoucher } from './redeeming.ts'

const addList = listCommand(voucher_list, {
  name: 'list',
  row: 'voucher',
  rows: 'vouchers',
  empty_text: 'No vouchers. `tollgate voucher create` makes some.',
  summary: 'List vouchers.',
  description: 'List vouchers, newest first, with their state and the account that redeemed them.',
  example: 'voucher list --state redeemed --batch 3',
})

const addBatches = listCommand(voucher_batch_list, {
  name: 'batches',
  row: 'batch',
  rows: 'batches',
  empty_text: 'No vouchers. `tollgate voucher create` makes some.',
  summary: 'List batches of vouchers.',
  description: 'List batches of vouchers, newest first: how many are unused, and what those are good for.',
  example: 'voucher batches',
})

export function addVoucherCommands(program: Command, deps: CliDeps): void {
  const group = commandGroup(program, 'voucher').description('Create vouchers, and see who redeemed them.')
  addCreate(group, deps)
  addList(group, deps)
  addBatches(group, deps)
  addRedeem(group, deps)
  addRevoke(group, deps)
}

interface CreateOptions {
  usd: Nanos
  count: number
  expires?: number
  oncePerAccount?: true
  note?: string
  csv?: true
}

interface CreatedCode {
  code: string
  amount_nanos: Nanos
  expires_at_ms: number | null
}

const CODE_COLUMNS: CsvColumns<CreatedCode> = {
  code: ({ code }) => code,
  amount_usd: ({ amount_nanos }) => csvUsd(amount_nanos),
  expires_at: ({ expires_at_ms }) => csvTime(expires_at_ms),
}

function addCreate(group: Command, deps: CliDeps): void {
  addExample(group.command('create'), 'voucher create --usd 10 --count 50 --expires 90d --csv > new.csv')
    .summary('Create vouchers.')
    .description(
      'Create vouchers and print their codes. They are stored nowhere: keep what is printed. Each adds its amount to the balance of the account that redeems it, once.',
    )
    .requiredOption('--usd <amount>', 'what each is good for, such as 10 or 0.50', amountReader())
    .option('--count <count>', `how many, up to ${MAX_COUNT}`, readCount(MAX_COUNT), 1)
    .option('--expires <when>', 'a date, or a duration such as 90d (default: never)', readExpiry(deps.now))
    .option('--once-per-account', 'an account redeems one of them at most')
    .option('--note <text>', 'your own words, which accounts do not see')
    .option('--csv', 'print CSV')
    .action(async (_: object, command: Command) => {
      const { usd, count, expires, oncePerAccount, note = '', csv } = command.opts<CreateOptions>()
      const { folder, answerList, remark } = contextOf(command, deps)
      const terms = { amount_nanos: usd, expires_at_ms: expires ?? null }
      const wanted = { ...terms, count, once_per_account: oncePerAccount === true, note }
      const making = { randomBytes: deps.randomBytes, now_ms: deps.now() }
      const { batch, codes } = await withDatabase(folder, 'write', (db) =>
        db.begin((tx) => createVouchers(tx, wanted, making)),
      )
      const created = codes.map((code): CreatedCode => ({ code, ...terms }))
      answerList(csv, {
        value: () => ({
          batch: batch.id,
          ...money('amount', usd),
          ...time('expires', terms.expires_at_ms),
          codes,
        }),
        text: () => codes.join('\n'),
        csv: () => csvOf(CODE_COLUMNS, created).slice(0, -1),
      })
      remark(
        `Batch ${batch.id}: ${counted(count, 'voucher')} of ${formatUsd(usd)} USD. The codes are shown only here.`,
      )
    })
}

function addRedeem(group: Command, deps: CliDeps): void {
  addExample(
    group.command('redeem <account> <code>'),
    'voucher redeem alice 1JP6-GZGJ-B3Y3-S8J0-NVH9-5ZAT-DGM',
  )
    .summary('Redeem a voucher for an account.')
    .description('Add what a voucher is good for to the balance of an account. Its debt is paid first.')
    .action(async (account: string, code: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      await using mover = await openMoneyMover(folder)
      const redeemed = await withDatabase(folder, 'read', async (db) => {
        const { id: account_id } = await accountByName(db, account)
        return await redeemVoucher(
          // No rate limit: a command makes only one attempt.
          { db, now: deps.now, topUp: mover.move, guesses: { attempt: () => () => {} } },
          { code, account_id, address: undefined, source: 'command', by: folder.by },
        )
      })
      const { voucher_id, amount_nanos, balance_nanos, again } = redeemed
      const balance = `balance ${formatUsd(balance_nanos)} USD`
      answer(
        {
          voucher: voucher_id,
          account,
          ...money('amount', amount_nanos),
          ...money('balance', balance_nanos),
          again,
        },
        again
          ? `${account} redeemed voucher ${voucher_id} before. Nothing was added: ${balance}.`
          : `Voucher ${voucher_id}: ${formatUsd(amount_nanos)} USD added to ${account}: ${balance}.`,
      )
    })
}

function addRevoke(group: Command, deps: CliDeps): void {
  addExample(group.command('revoke'), 'voucher revoke --batch 3')
    .summary('Revoke vouchers.')
    .description('Revoke a voucher that nobody has redeemed, or with --batch all of a batch.')
    .argument('[id]', 'its number in `voucher list`', readCount())
    .option('--batch <number>', 'all unused vouchers of this batch', readCount())
    .action(async (id: number | undefined, { batch }: { batch?: number }, command: Command) => {
      if ((id === undefined) === (batch === undefined))
        command.error('error: Give the number of a voucher, or --batch with that of a batch.')
      const { folder, answer } = contextOf(command, deps)
      const revoking = { source: 'command' as const, now_ms: deps.now() }
      const revoked = await withDatabase(folder, 'write', async (db) => {
        if (batch !== undefined) return await db.begin((tx) => revokeBatch(tx, batch, revoking))
        await db.begin((tx) => revokeVoucher(tx, id ?? 0, revoking))
        return 1
      })
      answer(
        { revoked, ...(batch === undefined ? { id } : { batch }) },
        batch === undefined
          ? `Voucher ${id} revoked.`
          : `${counted(revoked, 'voucher')} of batch ${batch} revoked.`,
      )
    })
}
