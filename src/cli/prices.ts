// `prices`: what models cost the operator and their callers, and the import of public price lists.
import type { Command } from 'commander'
import { addPricesImport } from './prices-import.ts'
import { addPricesList } from './prices-list.ts'
import type { CliDeps } from './terminal.ts'

export function addPricesCommands(program: Command, deps: CliDeps): void {
  const prices = program.command('prices').description('List prices, costs and margins; import a price list.')
  addPricesList(prices, deps)
  addPricesImport(prices, deps)
}
