// Command `plan renewal`: the card that pays for the next months of an account's plan.
import type { Command } from 'commander'
import { accountByName } from '../../../src/access/accounts.ts'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { requireCatalogue, withDatabase } from '../../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, commandGroup } from '../../../src/app/command-line/terminal.ts'
import { notFound } from '../../../src/domain/errors.ts'
import type { Db } from '../../../src/store/db.ts'
import { planView } from '../../plans/index.ts'
import { commandMethods } from '../commands/methods.ts'
import { chooseRenewal, renewalView } from './renewal.ts'

export function addRenewalCommands(program: Command, deps: CliDeps): void {
  const group = commandGroup(program, 'plan')
    .command('renewal')
    .description('The payment of the next months of a plan: from the balance, or by a saved card, too.')
  addShow(group, deps)
  addCard(group, deps)
  addBalance(group, deps)
}

/** Parts without payment methods, for commands that need none: their secrets may be available only to the gateway. */
const withoutMethods = ({ now }: Pick<CliDeps, 'now'>) => ({
  ...{ now, providers: () => [], settings: () => ({ rates: new Map<string, number>() }) },
})

/** A renewal without its currencies, which only payment methods know. */
type Renewal = Omit<Awaited<ReturnType<typeof renewalView>>, 'currencies'> & {
  title: string
  renews: boolean
}

/** @throws GatewayError not_found for an account without a plan */
async function renewalOf(db: Db, name: string, { now }: Pick<CliDeps, 'now'>): Promise<Renewal> {
  const { id } = await accountByName(db, name)
  const plan = await planView(db, id, now())
  if (!plan) throw notFound(`${name} has no plan.`, { code: 'no_plan' })
  const { currencies: _, ...renewal } = await renewalView(db, withoutMethods({ now }), id)
  return { title: plan.title, renews: plan.renews, ...renewal }
}

const answerOf = (account: string, { title, ...renewal }: Renewal): [object, string] => [
  { account, plan: title, ...renewal },
  wordsOf(account, { title, ...renewal }),
]

function wordsOf(
  account: string,
  { title, renews, card, failure, next_try_at, open_order_id }: Renewal,
): string {
  const by = card
    ? `the saved card (${card.method}, ${card.currency}) where the balance is too low`
    : 'the balance'
  return [
    renews
      ? `${title} of ${account} renews by ${by}.`
      : `${title} of ${account} is cancelled, and not renewed.`,
    ...(failure === null ? [] : [`The card was not charged. ${failure}`]),
    ...(next_try_at === null ? [] : [`Next try: ${next_try_at}.`]),
    ...(open_order_id === null ? [] : [`Order ${open_order_id} waits for its payment.`]),
  ].join('\n')
}

function addShow(group: Command, deps: CliDeps): void {
  addExample(group.command('show <account>'), 'plan renewal show alice')
    .summary('Show what pays for the next months of a plan.')
    .description(
      'Show what pays for the next months of the plan of an account: its balance alone, or its saved card, too; and why the card was not charged.',
    )
    .action(async (account: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      answer(...answerOf(account, await withDatabase(folder, 'read', (db) => renewalOf(db, account, deps))))
    })
}

interface CardOptions {
  currency: string
  method?: string
}

function addCard(group: Command, deps: CliDeps): void {
  addExample(group.command('card <account>'), 'plan renewal card alice --currency EUR')
    .requiredOption('--currency <code>', 'that the card is charged in, such as EUR')
    .option(
      '--method <name>',
      'the payment method that has the card; the first one that charges saved cards where absent',
    )
    .summary('Charge the saved card for the next months of a plan.')
    .description(
      'Charge the saved card of an account for the next months of its plan where its balance is too low. Somebody of the account must have saved a card, ' +
        'and agreed that it is charged without them.',
    )
    .action((account: string, { currency, method }: CardOptions, command: Command) =>
      change(account, command, deps, { currency: currency.toUpperCase(), ...(method && { method }) }),
    )
}

function addBalance(group: Command, deps: CliDeps): void {
  addExample(group.command('balance <account>'), 'plan renewal balance alice')
    .summary('Leave the next months of a plan to the balance.')
    .description('Charge no card for the next months of the plan of an account: its balance alone pays.')
    .action((account: string, _: object, command: Command) => change(account, command, deps, null))
}

async function change(
  account: string,
  command: Command,
  deps: CliDeps,
  card: Parameters<typeof chooseRenewal>[3],
): Promise<void> {
  const context = contextOf(command, deps)
  const { folder, answer } = context
  const { catalogue } = await requireCatalogue(folder)
  const renewal = await withDatabase(folder, 'write', async (db) => {
    const { id } = await accountByName(db, account)
    const parts = card ? commandMethods(deps, context, { db, catalogue }) : withoutMethods(deps)
    await db.begin((tx) => chooseRenewal(tx, parts, id, card))
    return await renewalOf(db, account, deps)
  })
  answer(...answerOf(account, renewal))
}
