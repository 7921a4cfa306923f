// The plugins of one's own that were loaded: what each registered, and what became of the calls that it saw.
import type { api } from '../../app/client.ts'
import { count } from '../../parts/amounts.ts'
import { Section } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'

type System = NonNullable<Awaited<ReturnType<typeof api.system.get>>['data']>
type Plugin = System['plugins'][number]

export function Plugins({ plugins }: Pick<System, 'plugins'>) {
  return (
    <Section title="Plugins">
      {plugins.length === 0 ? (
        <p className="soft">
          None. <code>tollgate plugin types</code> makes the folder that the next start loads them from.
        </p>
      ) : (
        <Table label="Plugins" rows={plugins} keyOf={({ file }) => file} columns={COLUMNS} />
      )}
    </Section>
  )
}

const COLUMNS: readonly Column<Plugin>[] = [
  {
    key: 'name',
    title: 'Plugin',
    cell: ({ name, file }) => <span title={`plugins/${file}`}>{name}</span>,
    phone: 'first',
  },
  {
    key: 'adds',
    title: 'Adds',
    cell: (plugin) => <span className="soft">{whatItAdds(plugin)}</span>,
    phone: 'second',
  },
  {
    key: 'seen',
    title: 'Calls seen',
    end: true,
    cell: ({ hooks, since_start }) => hooks.before_call > 0 && count(since_start.seen),
    phone: 'none',
  },
  {
    key: 'changed',
    title: 'Changed',
    end: true,
    cell: ({ hooks, since_start }) => hooks.before_call > 0 && count(since_start.changed),
    phone: 'none',
  },
  {
    key: 'refused',
    title: 'Refused',
    end: true,
    cell: ({ hooks, since_start }) => hooks.before_call > 0 && count(since_start.refused),
    phone: 'none',
  },
  {
    key: 'told',
    title: 'Told',
    end: true,
    cell: ({ hooks, since_start }) => hooks.after_settle > 0 && told(since_start),
    phone: 'none',
  },
  {
    key: 'state',
    title: 'Since the start',
    cell: ({ since_start }) => <State {...since_start} />,
    phone: 'first-end',
  },
]

function whatItAdds({ routes, hooks: { before_call, after_settle } }: Plugin): string {
  const hooks = [before_call > 0 ? 'before calls' : [], after_settle > 0 ? 'after settle' : []].flat()
  return [...hooks, ...routes].join(', ') || 'nothing'
}

const told = ({ told: done, waiting }: Plugin['since_start']): string =>
  waiting === 0 ? count(done) : `${count(done)}, ${count(waiting)} waiting`

function State({ failed, failed_after, dropped }: Plugin['since_start']) {
  if (failed > 0)
    return (
      <Status tone="bad" title="These calls were refused with 500; the log says why.">
        {`${count(failed)} failed`}
      </Status>
    )
  if (failed_after + dropped > 0)
    return (
      <Status tone="warn" title="The log says which, and why.">
        {`${count(failed_after + dropped)} not told`}
      </Status>
    )
  return <Status tone="good">no failures</Status>
}
