// `prices import`: imports a public price list into the catalogue after the operator has seen the changes.

import { readFile, stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { checkModelPatterns, compileModelPatterns } from '../../../src/access/model-patterns.ts'
import { readMarkup } from '../../../src/app/command-line/arguments.ts'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { requireCatalogue } from '../../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, EXIT, Exit } from '../../../src/app/command-line/terminal.ts'
import { configurationOf, savedWords } from '../../../src/app/commands/configuration.ts'
import { isYes } from '../../../src/app/commands/confirm.ts'
import { withProgress } from '../../../src/app/commands/progress.ts'
import type { ExactDecimal } from '../../../src/catalogue/decimal.ts'
import type { TomlTable } from '../../../src/catalogue/toml.ts'
import { invalidRequest, notFound } from '../../../src/domain/errors.ts'
import { AT_COST, badDraft, MAX_LIST_BYTES, markupOf, requireMarkup, requireValid } from '../list/draft.ts'
import { type PriceList, readPriceList } from '../list/list.ts'
import { listNamesOf } from '../list/matches.ts'
import { isJump, MAX_FACTOR } from '../list/merge.ts'
import { type ImportChoice, type PlannedChange, planImport } from '../list/plan.ts'
import { countOf, describePlan, planView, warningsOf } from './import-text.ts'

interface ImportOptions {
  markup?: ExactDecimal
  provider?: string
  from?: string
  model?: string[]
  yes?: boolean
  acceptJumps?: boolean
}

export function addPricesImport(prices: Command, deps: CliDeps): void {
  addExample(
    prices.command('import <file>'),
    'prices import model_prices_and_context_window.json --markup 20%',
  )
    .summary("Import prices from LiteLLM's public list, or OpenRouter's.")
    .description(
      "Read LiteLLM's price list (model_prices_and_context_window.json), or OpenRouter's (https://openrouter.ai/api/v1/models). Each route's `cost` becomes what its provider " +
        "charges. The model's `price` becomes the cost of its first route in the list, and the markup on top. You see the " +
        "changes before they are written. Each route's `shutdown_date` becomes the list's. Comments and everything else in " +
        'the catalogue stay.',
    )
    .option(
      '--markup <percent>',
      'price = cost + this, such as 20%; 0% sells at cost. By default the `markup` in [catalogue]',
      readMarkup,
    )
    .option('--provider <name>', 'only routes to this provider in the catalogue')
    .option('--from <name>', 'use the prices of this provider in the list, such as openrouter or azure')
    .option('--model <pattern>', 'only these models, such as gemini-*; may be repeated', append)
    .option('--yes', 'write without asking, except for large changes')
    .option(
      '--accept-jumps',
      `with --yes: also write prices that change by more than a factor of ${MAX_FACTOR}`,
    )
    .action(async (file: string, options: ImportOptions, command: Command) => {
      const { folder, json, answer, remark, warn } = contextOf(command, deps)
      const list = readPriceList(await readListFile(file))
      const { catalogue } = await requireCatalogue(folder)
      const configuration = configurationOf(folder, catalogue, deps)
      const { text, values, hash } = requireValid(await configuration.read())
      const markup = options.markup ?? markupOf(catalogue)
      const plan = planImport(values, list, choiceOf({ ...options, markup: markup ?? AT_COST }, values, list))
      const edits = [...plan.edits.values()].flat()
      // Checks before asking the operator, in case the changes cannot be written.
      const { mistakes, text: edited } = await withProgress(deps, json, (show) => {
        show({ what: 'Changing prices', done: 0, of: plan.edits.size, unit: 'models' })
        return configuration.check({ text, edits })
      })
      const [mistake] = mistakes
      if (mistake) throw badDraft(mistake, 'command')
      const printPlan = (written: boolean) => answer(planView(plan, list, { file, written }), described)
      const described = describePlan(plan, list, markup, deps.terminal.columns)
      if (plan.edits.size > 0 && !json) printPlan(false)
      for (const warning of warningsOf(plan, list, deps.now())) warn(warning)
      if (plan.edits.size === 0) return printPlan(false)
      requireMarkup(plan, markup, 'command')
      const jumps = options.acceptJumps ? [] : plan.changes.filter(isJump)
      if (!(options.yes && jumps.length === 0) && !(await askOperator(deps, { json, jumps }))) {
        if (json) printPlan(false)
        throw new Exit(EXIT.failed)
      }
      const saved = await configuration.save({ text: edited }, hash, 'command:prices import')
      if (json) printPlan(true)
      remark(savedWords(folder, saved))
    })
}

const append = (pattern: string, others: string[] = []): string[] => [...others, pattern]

async function readListFile(path: string): Promise<string> {
  const file = await stat(path)
  if (file.isDirectory()) throw invalidRequest(`${path} is a folder: name the price list's file.`)
  if (file.size > MAX_LIST_BYTES)
    throw invalidRequest(
      `${path} has ${file.size} bytes: a price list has at most ${MAX_LIST_BYTES}. Name model_prices_and_context_window.json.`,
    )
  // TextDecoder removes a byte order mark, which JSON.parse refuses.
  return new TextDecoder().decode(await readFile(path))
}

/** @throws GatewayError not_found for an unknown name, invalid_request for an invalid pattern */
function choiceOf(
  { markup, provider, from, model: patterns }: ImportOptions & Pick<ImportChoice, 'markup'>,
  values: TomlTable,
  list: PriceList,
): ImportChoice {
  const ids = namesIn(values.models, 'id')
  for (const pattern of patterns ?? []) {
    checkModelPatterns([pattern])
    if (!ids.some(compileModelPatterns([pattern])))
      throw notFound(`No model in the catalogue matches ${pattern}. Its models: ${ids.join(', ') || 'none'}.`)
  }
  if (provider !== undefined) requireOneOf(provider, namesIn(values.providers, 'name'), 'catalogue')
  if (from !== undefined) requireListed(from, list)
  return { isModel: compileModelPatterns(patterns ?? null), provider, from, markup }
}

/** Reads names from the file's values, which include providers without a key. */
const namesIn = (blocks: unknown, key: string): string[] =>
  Array.isArray(blocks) ? blocks.map((block) => String(Reflect.get(block, key))) : []

/** Accepts the list's own names, and names of known servers. */
function requireListed(from: string, { entries }: PriceList): void {
  const listed = [...new Set(entries.map(({ provider }) => provider))]
  if ([from, ...listNamesOf(from)].some((name) => listed.includes(name))) return
  if (from === 'openrouter')
    throw notFound(
      'This list has no prices of OpenRouter. Download https://openrouter.ai/api/v1/models and import that file with --from openrouter.',
    )
  requireOneOf(from, listed, 'list')
}

function requireOneOf(name: string, names: readonly string[], where: string): void {
  if (!names.includes(name))
    throw notFound(
      `Provider "${name}" not found in the ${where}. Its providers: ${names.join(', ') || 'none'}.`,
    )
}

/** Asks the operator whether to write. Without a terminal the answer is no. @param jumps changes that --yes alone does not write */
async function askOperator(
  { terminal }: CliDeps,
  { json, jumps }: { json: boolean; jumps: readonly PlannedChange[] },
): Promise<boolean> {
  const of_jumps = jumps.length === 0 ? '' : `${countOf(jumps)} by more than a factor of ${MAX_FACTOR}. `
  if (!terminal.ask || json) {
    const advice = of_jumps
      ? 'Check them, then add --yes --accept-jumps, or choose models with --model.'
      : 'Add --yes to skip the question.'
    const note = `Nothing was written. ${of_jumps}${advice}`
    terminal.err(json ? JSON.stringify({ note }) : note)
    return false
  }
  const reply = await terminal.ask(`${of_jumps}Write this to the catalogue? [y/N] `)
  if (isYes(reply)) return true
  terminal.err('Nothing was written.')
  return false
}
