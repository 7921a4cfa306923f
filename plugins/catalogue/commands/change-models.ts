// `models add` and `models delete`: adds a model with its price and first route, or deletes one.
import { type Command, InvalidArgumentError } from 'commander'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { type Column, table } from '../../../src/app/command-line/table.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { confirm, isYes } from '../../../src/app/commands/confirm.ts'
import type { TomlValue } from '../../../src/catalogue/toml-write.ts'
import { conflict } from '../../../src/domain/errors.ts'
import { formatUsd } from '../../../src/domain/money.ts'
import { type MarginLine, marginLines, percentText } from '../../../src/money/pricing/price-lines.ts'
import { blocksOf, changeCatalogue, placeOf, readAmounts, readField, requireOthers } from './editing.ts'

interface NewModel {
  kind: string
  route: { provider: string; model: string }
  price: Record<string, string>
  cost?: Record<string, string>
  set?: Record<string, TomlValue>
  yes?: boolean
}

export function addModelChanges(models: Command, deps: CliDeps): void {
  addModelAdd(models, deps)
  addModelDelete(models, deps)
}

function addModelAdd(models: Command, deps: CliDeps): void {
  addExample(models.command('add <id>'), 'models add fast --route openai:gpt-5 --price input=0.50,output=2')
    .summary('Add a model.')
    .description(
      'Add a model with its price and the route by which it is served. The price is required: a free model has amounts of 0. ' +
        'With the cost of the route you see its margin, and are asked before it sells below cost.',
    )
    .option('--kind <kind>', 'text, image, embedding, speech, transcription, rerank or moderation', 'text')
    .requiredOption(
      '--route <provider:model>',
      'a provider of the catalogue, and its name of the model',
      readRoute,
    )
    .requiredOption(
      '--price <amounts>',
      'what callers pay, by its names in the catalogue: input=0.50,output=2, or per_image=0.04',
      readAmounts,
    )
    .option('--cost <amounts>', 'what the provider charges, in the same way', readAmounts)
    .option(
      '--set <field=value>',
      'another field, such as max_output_tokens=8192; may be repeated',
      readField,
    )
    .option('--yes', 'add it without asking, also below its cost')
    .action(async (id: string, model: NewModel, command: Command) => {
      const context = contextOf(command, deps)
      const { kind, route, price, cost, set, yes } = model
      const value = { id, kind, ...set, routes: [{ ...route, ...(cost && { cost }) }], price }
      let lines: MarginLine[] = []
      const saved = await changeCatalogue(context, deps, 'command:models add', {
        edits: (values) => {
          if (blocksOf(values, 'models').some((block) => block.id === id))
            throw conflict(`The catalogue has a model "${id}" already. Choose another id.`, { param: 'id' })
          return [{ op: 'add', path: ['models'], value }]
        },
        async review({ catalogue }) {
          const added = catalogue?.models.get(id)
          lines = added ? marginLines(added.price, added.routes[0]?.cost) : []
          // A warning has already listed these rates.
          if (lines.every(({ price_nanos, cost_nanos }) => price_nanos >= (cost_nanos ?? 0))) return
          const about = `${id} sells below its cost.`
          await confirm(deps, { yes, json: context.json, about, prompt: 'Add it? [y/N] ', agrees: isYes })
        },
      })
      context.answer(
        { model: id, written: true },
        `${table(COLUMNS, lines, '', deps.terminal.columns)}\n\n${id} added. ${saved}`,
      )
    })
}

function addModelDelete(models: Command, deps: CliDeps): void {
  addExample(models.command('delete <id>'), 'models delete gpt-fast')
    .summary('Delete a model.')
    .description('Delete a model from the catalogue. Its calls and their charges stay.')
    .option('--yes', 'delete it without asking')
    .action(async (id: string, { yes }: { yes?: boolean }, command: Command) => {
      const context = contextOf(command, deps)
      const saved = await changeCatalogue(context, deps, 'command:models delete', {
        edits(values) {
          const place = placeOf(values, 'models', id)
          requireOthers(values, 'models', id)
          return [{ op: 'remove', path: ['models', place] }]
        },
        review: async () => {
          const about = `Calls to ${id} are refused from then on.`
          await confirm(deps, {
            ...{ yes, json: context.json, about },
            prompt: `Delete ${id}? [y/N] `,
            agrees: isYes,
          })
        },
      })
      context.answer({ model: id, deleted: true }, `${id} deleted. ${saved}`)
    })
}

/** @throws InvalidArgumentError */
function readRoute(text: string): NewModel['route'] {
  const [, provider, model] = /^([a-z0-9][a-z0-9_-]*):(.+)$/.exec(text) ?? []
  if (provider === undefined || model === undefined)
    throw new InvalidArgumentError('Write PROVIDER:MODEL, such as openai:gpt-4.1-mini.')
  return { provider, model }
}

const COLUMNS: Column<MarginLine>[] = [
  { head: 'RATE', text: ({ name, of }) => (of === '' ? name : `${name}, ${of}`), elastic: true },
  { head: 'PER', text: ({ per }) => per },
  { head: 'PRICE', text: ({ price_nanos }) => formatUsd(price_nanos), right: true },
  {
    head: 'COST',
    text: ({ cost_nanos }) => (cost_nanos === null ? '-' : formatUsd(cost_nanos)),
    right: true,
  },
  { head: 'MARGIN', text: percentText, right: true },
]
