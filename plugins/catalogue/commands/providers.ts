// `providers test`: one cheap real request for each key and route, and what the providers answer.

import type { Command } from 'commander'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { type GoodCatalogue, requireCatalogue } from '../../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, EXIT, Exit } from '../../../src/app/command-line/terminal.ts'
import type { Catalogue } from '../../../src/domain/catalogue.ts'
import { notFound } from '../../../src/domain/errors.ts'
import { BUILT_IN_REGISTRY } from '../../../src/protocols/registry.ts'
import { createCooldowns } from '../../../src/upstream/cooldowns.ts'
import { createTokens } from '../../../src/upstream/tokens/tokens.ts'
import { createTransport } from '../../../src/upstream/transport.ts'
import { Deadlines } from '../../../src/utilities/deadlines.ts'
import type { TestedRoute } from '../route-tests/route-test.ts'
import { planTests, type Tested, testAndHide, testView } from '../route-tests/route-tests.ts'
import { describeTests } from './providers-table.ts'

export function addProvidersCommands(program: Command, deps: CliDeps): void {
  const providers = program.command('providers').description("Test the catalogue's providers.")
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

/** @throws GatewayError not_found for a provider that the file does not have, or that is disabled */
function refuseUnknown(name: string, { catalogue, warning_lines }: GoodCatalogue): void {
  if (catalogue.providers.has(name)) return
  const disabled = warning_lines.find((line) => line.includes(`the provider "${name}" is disabled`))
  if (disabled !== undefined) throw notFound(disabled)
  const names = [...catalogue.providers.keys()].join(', ')
  throw notFound(`Provider "${name}" not found. Enabled providers: ${names || 'none'}.`)
}

/** Providers at once, the routes of one after the other: none of them is to meet a limit because of the test. */
async function testAll(
  catalogue: Catalogue,
  routes: readonly TestedRoute[],
  { network, simulator, now }: CliDeps,
): Promise<Tested[]> {
  const fetch = createTransport(network, simulator)
  const tokens = createTokens({ fetch: network, now })
  const deadlines = new Deadlines()
  const test = (tested: TestedRoute): Promise<Tested> => {
    const upstream = { fetch, cooldowns: createCooldowns(now), deadlines, tokens, now, random: Math.random }
    return testAndHide({ ...upstream, protocols: BUILT_IN_REGISTRY, catalogue }, tested)
  }
  const by_provider = Map.groupBy(routes, ({ provider }) => provider.name)
  const tested = await Promise.all(
    [...by_provider.values()].map(async (own) => {
      const done: Tested[] = []
      for (const route of own) done.push(await test(route))
      return done
    }),
  )
  return tested.flat()
}
