// `providers test`: sends one cheap real request for each key and route, and prints the results. For changes see change-providers.ts.
import type { Command } from 'commander'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { type GoodCatalogue, requireCatalogue } from '../../../src/app/command-line/data-folder.ts'
import { type Column, cut, table, wrapped } from '../../../src/app/command-line/table.ts'
import { addExample, type CliDeps, EXIT, Exit } from '../../../src/app/command-line/terminal.ts'
import type { Catalogue } from '../../../src/domain/catalogue.ts'
import { notFound } from '../../../src/domain/errors.ts'
import { BUILT_IN_REGISTRY } from '../../../src/protocols/registry.ts'
import { createCooldowns } from '../../../src/upstream/cooldowns.ts'
import { createTokens } from '../../../src/upstream/tokens/tokens.ts'
import { createTransport } from '../../../src/upstream/transport.ts'
import { Deadlines } from '../../../src/utilities/deadlines.ts'
import type { RouteToTest } from '../route-tests/route-test.ts'
import {
  keyNumber,
  kindOf,
  planTests,
  type TestedRoute,
  testAndHide,
  testView,
  type UntestedRoute,
} from '../route-tests/route-tests.ts'
import { addProviderChanges } from './change-providers.ts'

const INDENT = '     '
const MAX_MODEL_CHARS = 33
/** Longer kinds take their space from the model's column. */
const MIN_KIND_CHARS = 'embedding'.length
const MAX_WORDS_CHARS = 400

const REASONS: Readonly<Record<UntestedRoute['reason'], string>> = {
  image: '--images tests image models, at the price of an image',
  'no route': 'no model has a route to it: add one in [[models]]',
}

function describeTests(tested: readonly TestedRoute[], untested: readonly UntestedRoute[]): string {
  const by_provider = Map.groupBy(tested, ({ provider }) => provider)
  const tables = [...by_provider].map(([{ name, base_url }, own]) =>
    [...wrapped(`${name}  ${base_url}`, ''), routeTable(own)].join('\n'),
  )
  const advice = [...new Set(tested.flatMap(adviceOn))].flatMap((each) => wrapped(each, ''))
  const left_out = [...Map.groupBy(untested, ({ reason }) => reason)].flatMap(([reason, all]) =>
    wrapped(`Not tested: ${all.map(nameOf).join(', ')} (${REASONS[reason]}).`, ''),
  )
  const failed = tested.filter(({ result }) => result !== 'ok').length
  const sum = tested.length === 0 ? [] : [`Requests: ${tested.length}, failed: ${failed}.`]
  const parts = [...tables, advice.join('\n'), left_out.join('\n'), sum.join('\n')]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Begins with the result's word, so that advice and row can be matched. */
function adviceOn({ result, advice }: TestedRoute): string[] {
  if (advice === null) return []
  return [advice.startsWith(`${result}:`) ? advice : `${result}: ${advice}`]
}

const nameOf = ({ provider, model }: UntestedRoute): string =>
  model === null ? provider : `${provider}:${model}`

const columnsFor = (model_chars: number): Column<TestedRoute>[] => [
  { head: 'KEY', text: ({ provider, key }) => String(keyNumber(provider, key)), right: true },
  { head: 'MODEL', text: ({ route }) => cut(route.model, model_chars) },
  { head: 'KIND', text: kindOf },
  { head: 'RESULT', text: ({ result }) => result },
  { head: 'STATUS', text: ({ status }) => String(status ?? '-'), right: true },
  { head: 'MS', text: ({ latency_ms }) => String(latency_ms), right: true },
]

/** Adds the address and the provider's message below each failed route. */
function routeTable(tested: readonly TestedRoute[]): string {
  const kind_chars = Math.max(MIN_KIND_CHARS, ...tested.map((one) => kindOf(one).length))
  const columns = columnsFor(MAX_MODEL_CHARS + MIN_KIND_CHARS - kind_chars)
  const [head = '', ...rows] = table(columns, tested, '').split('\n')
  const lines = rows.flatMap((row, index) => [row, ...detailsOf(tested[index])])
  return [head, ...lines].join('\n')
}

function detailsOf(tested: TestedRoute | undefined): string[] {
  if (!tested || tested.result === 'ok') return []
  const { address, words } = tested
  const message = words.replace(/\s+/g, ' ').trim().slice(0, MAX_WORDS_CHARS)
  return [...(address === undefined ? [] : wrapped(address, INDENT)), ...wrapped(message, INDENT)]
}

export function addProvidersCommands(program: Command, deps: CliDeps): void {
  const providers = program
    .command('providers')
    .description("Test the catalogue's providers, add, rename and delete them.")
  addProviderChanges(providers, deps)
  addExample(providers.command('test [name]'), 'providers test google')
    .summary('Test each provider with a request.')
    .description(
      'Send one small real request for each key and route of all providers, or of one, and show ' +
        'the answer. All but images cost a fraction of a cent. The exit status is 1 if any fails.',
    )
    .option('--images', 'also request an image from each image model, at the price of an image')
    .action(async (name: string | undefined, { images = false }: { images?: boolean }, command: Command) => {
      const { folder, answer, remark, warn, json } = contextOf(command, deps)
      const read = await requireCatalogue(folder)
      const { catalogue, warning_lines } = read
      if (name !== undefined) refuseUnknown(name, read)
      if (!json) for (const line of warning_lines) warn(line)
      const { routes, untested } = planTests(catalogue, name, images)
      const providers = new Set(routes.map(({ provider }) => provider.name))
      if (routes.length > 0) remark(`Requests: ${routes.length}, to ${[...providers].join(', ')}.`)
      const tested = await testAll(catalogue, routes, deps)
      const ok = tested.every(({ result }) => result === 'ok')
      answer(
        { ok, tested: tested.map(testView), untested, warnings: read.warnings },
        describeTests(tested, untested),
      )
      if (!ok) throw new Exit(EXIT.failed)
    })
}

/** @throws GatewayError not_found for an unknown or disabled provider */
function refuseUnknown(name: string, { catalogue, warning_lines }: GoodCatalogue): void {
  if (catalogue.providers.has(name)) return
  const disabled = warning_lines.find((line) => line.includes(`the provider "${name}" is disabled`))
  if (disabled !== undefined) throw notFound(disabled)
  const names = [...catalogue.providers.keys()].join(', ')
  throw notFound(`Provider "${name}" not found. Enabled providers: ${names || 'none'}.`)
}

/** Tests providers in parallel, but the routes of each in sequence, so that the test does not hit rate limits. */
async function testAll(
  catalogue: Catalogue,
  routes: readonly RouteToTest[],
  { network, simulator, now }: CliDeps,
): Promise<TestedRoute[]> {
  const fetch = createTransport(network, simulator)
  const tokens = createTokens({ fetch: network, now })
  const deadlines = new Deadlines()
  const test = (tested: RouteToTest): Promise<TestedRoute> => {
    const upstream = { fetch, cooldowns: createCooldowns(now), deadlines, tokens, now, random: Math.random }
    return testAndHide({ ...upstream, protocols: BUILT_IN_REGISTRY, catalogue }, tested)
  }
  const by_provider = Map.groupBy(routes, ({ provider }) => provider.name)
  const tested = await Promise.all(
    [...by_provider.values()].map(async (own) => {
      const done: TestedRoute[] = []
      for (const route of own) done.push(await test(route))
      return done
    }),
  )
  return tested.flat()
}
