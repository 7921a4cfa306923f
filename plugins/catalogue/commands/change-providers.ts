// `providers add`, `rename` and `delete`. A rename includes all routes; a deletion includes models without another route.
import type { Command } from 'commander'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { confirm, isYes } from '../../../src/app/commands/confirm.ts'
import type { Edit } from '../../../src/catalogue/edit.ts'
import type { TomlTable } from '../../../src/catalogue/toml.ts'
import type { TomlValue } from '../../../src/catalogue/toml-write.ts'
import { conflict } from '../../../src/domain/errors.ts'
import {
  blocksOf,
  changeCatalogue,
  placeOf,
  readField,
  requireOthers,
  routesOf,
  variablesIn,
} from './editing.ts'

interface NewProvider {
  server?: string
  protocol?: string
  baseUrl?: string
  key?: string[]
  set?: Record<string, TomlValue>
}

const append = (key: string, others: string[] = []): string[] => [...others, key]

export function addProviderChanges(providers: Command, deps: CliDeps): void {
  addProviderAdd(providers, deps)
  addProviderRename(providers, deps)
  addProviderDelete(providers, deps)
}

function addProviderAdd(providers: Command, deps: CliDeps): void {
  addExample(providers.command('add <name>'), 'providers add openai --server openai --key env:OPENAI_API_KEY')
    .summary('Add a provider.')
    .description(
      'Add a provider to the catalogue: a known server, or a protocol and an address. `providers test` tries it.',
    )
    .option('--server <name>', 'a known server, such as openai, anthropic or google')
    .option('--protocol <name>', 'the protocol of another server: openai, anthropic or gemini')
    .option('--base-url <url>', 'the address of another server')
    .option(
      '--key <key>',
      'env:NAME reads a variable; may be repeated. Without, the server takes none',
      append,
    )
    .option('--set <field=value>', 'another field, such as region=us-east-1; may be repeated', readField)
    .action(async (name: string, provider: NewProvider, command: Command) => {
      const context = contextOf(command, deps)
      const { server, protocol, baseUrl: base_url, key: api_keys = [], set } = provider
      const value = {
        name,
        ...(server !== undefined && { server }),
        ...(protocol !== undefined && { protocol }),
        ...(base_url !== undefined && { base_url }),
        ...set,
        api_keys,
      }
      const saved = await changeCatalogue(context, deps, 'command:providers add', {
        variables: variablesIn(...api_keys),
        edits(values) {
          requireFree(values, name)
          return [{ op: 'add', path: ['providers'], value }]
        },
      })
      context.answer({ provider: name, written: true }, `${name} added. ${saved}`)
    })
}

function addProviderRename(providers: Command, deps: CliDeps): void {
  addExample(providers.command('rename <name> <new-name>'), 'providers rename openai openai-eu')
    .summary('Rename a provider.')
    .description('Rename a provider, and in all routes to it. Recorded calls keep its name of their time.')
    .action(async (name: string, new_name: string, _: object, command: Command) => {
      const context = contextOf(command, deps)
      const saved = await changeCatalogue(context, deps, 'command:providers rename', {
        edits(values) {
          const place = placeOf(values, 'providers', name)
          requireFree(values, new_name)
          const paths = [['providers', place, 'name'], ...routePaths(values, name, 'provider')]
          return paths.map((path) => ({ op: 'set', path, value: new_name }))
        },
      })
      context.answer(
        { provider: new_name, before: name, written: true },
        `${name} is ${new_name} now. ${saved}`,
      )
    })
}

function addProviderDelete(providers: Command, deps: CliDeps): void {
  addExample(providers.command('delete <name>'), 'providers delete openai')
    .summary('Delete a provider.')
    .description('Delete a provider with its keys, its routes, and the models that have no other route.')
    .option('--yes', 'delete it without asking')
    .action(async (name: string, { yes }: { yes?: boolean }, command: Command) => {
      const context = contextOf(command, deps)
      let lost: readonly string[] = []
      const saved = await changeCatalogue(context, deps, 'command:providers delete', {
        edits(values) {
          const deletion = deletionOf(values, name)
          lost = deletion.lost
          return deletion.edits
        },
        async review() {
          const gone =
            lost.length === 0 ? '' : ` Deleted with it, because they have no other route: ${lost.join(', ')}.`
          const about = `${name} gets no more calls, and its keys are removed.${gone}`
          await confirm(deps, {
            ...{ yes, json: context.json, about },
            prompt: `Delete ${name}? [y/N] `,
            agrees: isYes,
          })
        },
      })
      context.answer({ provider: name, deleted: true, models_deleted: lost }, `${name} deleted. ${saved}`)
    })
}

/** @throws GatewayError conflict */
function requireFree(values: TomlTable, name: string): void {
  if (blocksOf(values, 'providers').some((block) => block.name === name))
    throw conflict(`The catalogue has a provider "${name}" already. Choose another name.`, { param: 'name' })
}

/** Returns paths of the routes to a provider, or of a field of each, in the order of the file. */
const routePaths = (values: TomlTable, name: string, ...field: string[]): (string | number)[][] =>
  blocksOf(values, 'models').flatMap((model, at) =>
    routesOf(model).flatMap(({ provider }, index) =>
      provider === name ? [['models', at, 'routes', index, ...field]] : [],
    ),
  )

/**
 * Returns the edits in reverse order of the file: each removal shifts the indices after it.
 *
 * @throws GatewayError not_found; conflict if no provider or no model would remain
 */
function deletionOf(values: TomlTable, name: string): { edits: Edit[]; lost: string[] } {
  const place = placeOf(values, 'providers', name)
  requireOthers(values, 'providers', name)
  const lost = new Map(
    blocksOf(values, 'models').flatMap((model, at) => {
      const routes = routesOf(model)
      return routes.length > 0 && routes.every(({ provider }) => provider === name)
        ? [[at, String(model.id)] as const]
        : []
    }),
  )
  if (lost.size === blocksOf(values, 'models').length)
    throw conflict(
      `No model has a route to another provider than "${name}", and the catalogue needs at least one model. Add another route or model first.`,
    )
  const paths = [
    ...routePaths(values, name).filter(([, at]) => !lost.has(Number(at))),
    ...[...lost.keys()].map((at) => ['models', at]),
  ].sort((one, other) => Number(other[1]) - Number(one[1]) || Number(other[3]) - Number(one[3]))
  const edits = [...paths, ['providers', place]].map((path): Edit => ({ op: 'remove', path }))
  return { edits, lost: [...lost.values()] }
}
