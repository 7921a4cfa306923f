// `incident`: opens, updates, resolves and lists incidents of the status page.
import { type Command, Option } from 'commander'
import { readCount } from '../../../src/app/command-line/arguments.ts'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { requireCatalogue, withDatabase } from '../../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, commandGroup } from '../../../src/app/command-line/terminal.ts'
import { rowFor } from '../../../src/app/list/columns.ts'
import { listCommand } from '../../../src/app/list/command.ts'
import { INCIDENT_STATES, type IncidentState } from '../tables.ts'
import { type Incident, openIncident, updateIncident } from './incidents.ts'
import { incident_list } from './list.ts'

const addList = listCommand(incident_list, {
  name: 'list',
  row: 'incident',
  rows: 'incidents',
  empty_text: 'No incidents. `tollgate incident open TITLE --text TEXT` opens one.',
  summary: 'List incidents.',
  description: 'List the incidents of the status page, newest first.',
  example: 'incident list --limit 5',
})

const OPEN_STATES = INCIDENT_STATES.filter((state) => state !== 'resolved')

export function addIncidentCommands(program: Command, deps: CliDeps): void {
  const group = commandGroup(program, 'incident').description('Report incidents on the status page.')
  addOpen(group, deps)
  addUpdate(group, deps)
  addResolve(group, deps)
  addList(group, deps)
}

const view = (incident: Incident) => ({
  ...rowFor(incident_list.columns, 'command', incident),
  updates: incident.updates,
})

function addOpen(group: Command, deps: CliDeps): void {
  addExample(group.command('open <title>'), 'incident open "Slow answers" --text "We are looking into it."')
    .summary('Open an incident.')
    .description('Open an incident. The status page shows it within seconds, the audit log who opened it.')
    .requiredOption('--text <text>', 'the first update')
    .option('--model <id...>', 'the models that it is about (default: the service as a whole)')
    .addOption(new Option('--state <state>', 'how far it is').choices(OPEN_STATES).default('investigating'))
    .action(
      async (
        title: string,
        { text, model: models, state }: { text: string; model?: string[]; state: IncidentState },
        command: Command,
      ) => {
        const { folder, answer } = contextOf(command, deps)
        const { catalogue } = await requireCatalogue(folder)
        const at = { now_ms: deps.now(), known: (model: string) => catalogue.models.has(model) }
        const opened = await withDatabase(folder, 'write', (db) =>
          db.begin((tx) => openIncident(tx, { title, text, models, state }, at)),
        )
        answer(
          view(opened),
          `Incident ${opened.id} opened. Next: tollgate incident update ${opened.id} --text TEXT`,
        )
      },
    )
}

function addUpdate(group: Command, deps: CliDeps): void {
  addExample(
    group.command('update').argument('<id>', 'its number in `incident list`', readCount()),
    'incident update 3 --state identified --text "A provider is down."',
  )
    .summary('Add an update to an incident.')
    .description('Add an update to an open incident, with a new state if it has one.')
    .requiredOption('--text <text>', 'the text of the update')
    .addOption(new Option('--state <state>', 'how far it is (default: as before)').choices(OPEN_STATES))
    .action(
      async (id: number, { text, state }: { text: string; state?: IncidentState }, command: Command) => {
        await change(deps, command, { id, text, state })
      },
    )
}

function addResolve(group: Command, deps: CliDeps): void {
  addExample(
    group.command('resolve').argument('<id>', 'its number in `incident list`', readCount()),
    'incident resolve 3 --text "All models answer again."',
  )
    .summary('Resolve an incident.')
    .description('Resolve an incident. The status page shows it among past ones for 90 days.')
    .requiredOption('--text <text>', 'how it ended')
    .action(async (id: number, { text }: { text: string }, command: Command) => {
      await change(deps, command, { id, text, state: 'resolved' })
    })
}

async function change(
  deps: CliDeps,
  command: Command,
  { id, ...update }: { id: number; text: string; state?: IncidentState | undefined },
): Promise<void> {
  const { folder, answer } = contextOf(command, deps)
  const incident = await withDatabase(folder, 'write', (db) =>
    db.begin((tx) => updateIncident(tx, id, update, deps.now())),
  )
  answer(view(incident), `Incident ${incident.id}: ${incident.state}.`)
}
