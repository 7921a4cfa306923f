// Loaded custom plugins on the System page: the routes and hooks of each, and counts of the calls that its hooks saw.
import { Link } from 'wouter'
import { type AnswerOf, api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { count } from '../../console/web/parts/amounts.ts'
import { Section } from '../../console/web/parts/page.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { type Column, column, endColumn, Table } from '../../console/web/parts/table.tsx'

type PluginsAnswer = AnswerOf<typeof api.plugins.get>
type Plugin = PluginsAnswer['plugins'][number]

const EVERY_MS = 5_000

export const usePlugins = () => useApi(['plugins'], () => api.plugins.get(), { every_ms: EVERY_MS })

export function Plugins({ plugins }: PluginsAnswer) {
  return (
    <Section title="Plugins">
      {plugins.length === 0 ? (
        <p className="soft">
          No plugins. Run <code>tollgate plugin types</code> to create their folder. They load at the next
          start.
        </p>
      ) : (
        <>
          <Table label="Plugins" rows={plugins} keyOf={({ file }) => file} columns={COLUMNS} />
          <p className="soft">
            Options of a plugin are set in the file alone, as <code>[plugins.NAME]</code>.{' '}
            <Link href="/system/configuration">Edit the configuration file</Link>
          </p>
        </>
      )}
    </Section>
  )
}

const callCount = (name: 'seen' | 'changed' | 'refused', title: string): Column<Plugin> =>
  endColumn(name, title, 'none', (row) => row.hooks.before_call > 0 && count(row.since_start[name]))

const COLUMNS: readonly Column<Plugin>[] = [
  column('name', 'Plugin', 'first', ({ name, file }) => <span title={`plugins/${file}`}>{name}</span>),
  column('adds', 'Adds', 'second', (plugin) => <span className="soft">{additionsOf(plugin)}</span>),
  callCount('seen', 'Calls seen'),
  callCount('changed', 'Changed'),
  callCount('refused', 'Refused'),
  endColumn(
    'delivered',
    'Delivered',
    'none',
    ({ hooks, since_start }) => hooks.after_settle > 0 && reportsText(since_start),
  ),
  column('state', 'Since the start', 'first-end', ({ since_start }) => <State {...since_start} />),
]

function additionsOf({ routes, hooks: { before_call, after_settle } }: Plugin): string {
  const hooks = [before_call > 0 ? 'before calls' : [], after_settle > 0 ? 'after settle' : []].flat()
  return [...hooks, ...routes].join(', ') || 'nothing'
}

const reportsText = ({ delivered: done, waiting }: Plugin['since_start']): string =>
  waiting === 0 ? count(done) : `${count(done)}, ${count(waiting)} waiting`

function State({ failed, failed_after, dropped }: Plugin['since_start']) {
  if (failed > 0)
    return (
      <Status tone="bad" title="These calls failed with status 500. See the log.">
        {`${count(failed)} failed`}
      </Status>
    )
  if (failed_after + dropped > 0)
    return (
      <Status tone="warn" title="See the log for details.">
        {`${count(failed_after + dropped)} not delivered`}
      </Status>
    )
  return <Status tone="good">no failures</Status>
}
