// The page Usage: what an account's calls came to, by day, model and key.
import { ChartColumn, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { api } from '../../app/client.ts'
import { useAsk } from '../../app/query.ts'
import { AccountChoice, ChosenAccount } from '../../parts/account-choice.tsx'
import { useAddressState } from '../../parts/address-state.ts'
import { briefCount, count, roundedUsd } from '../../parts/amounts.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Chart } from '../../parts/chart.tsx'
import { Choices } from '../../parts/choices.tsx'
import { Figure, Figures } from '../../parts/figure.tsx'
import { Money } from '../../parts/money.tsx'
import { Page, Section } from '../../parts/page.tsx'
import type { Answered } from '../../parts/pictures.ts'
import { EmptyState, Loaded } from '../../parts/states.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useWhose, type Whose } from '../../parts/whose.ts'

type UsageView = Answered<typeof api.usage.get>
type Sum = UsageView['total']

const RANGES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const
type Range = (typeof RANGES)[number]['value']

const GROUPS = [
  { value: 'model', label: 'By model' },
  { value: 'key', label: 'By key' },
  { value: 'day', label: 'By day' },
] as const
type Group = (typeof GROUPS)[number]['value']

export default function Usage() {
  const whose = useWhose()
  return (
    <Page
      title="Usage"
      lead="What calls came to. Days begin at midnight UTC; today is one of them."
      actions={
        whose.account === undefined ? undefined : (
          <ChosenAccount account={whose.account} onChange={() => whose.choose(undefined)} />
        )
      }
    >
      {whose.is_operator && whose.account === undefined ? (
        <AccountChoice
          why="Usage is shown by account. That of all together is on the overview."
          onChoose={whose.choose}
        />
      ) : (
        <UsageOf whose={whose} />
      )}
    </Page>
  )
}

function UsageOf({ whose }: { whose: Whose }) {
  const [state, change] = useAddressState({ days: '30', by: 'model', model: '', key: '' })
  const days = RANGES.find(({ value }) => value === state.days)?.value ?? '30'
  const by = GROUPS.find(({ value }) => value === state.by)?.value ?? 'model'
  const { model, key } = state
  const query = useAsk(['usage', whose.account, days, model, key], () =>
    api.usage.get({
      query: {
        ...whose.query,
        days: Number(days),
        ...(model === '' ? {} : { model }),
        ...(key === '' ? {} : { key }),
      },
    }),
  )
  return (
    <>
      <div className="row">
        <Choices<Range>
          label="Range"
          options={RANGES}
          value={days}
          onChange={(chosen) => change({ days: chosen })}
        />
        {model !== '' && <Filter name="Model" value={model} onRemove={() => change({ model: undefined })} />}
        {key !== '' && <Filter name="Key" value={key} onRemove={() => change({ key: undefined })} />}
      </div>
      <Loaded query={query} rows={8}>
        {(usage) =>
          usage.total.calls === 0 ? (
            <NoCalls is_filtered={model !== '' || key !== ''} />
          ) : (
            <>
              <Totals total={usage.total} />
              <Chart
                label="Charged by day"
                times_ms={usage.days.map(({ day }) => Date.parse(day))}
                series={[{ label: 'Charged', values: usage.days.map(({ cost_nanos }) => cost_nanos) }]}
                format={(nanos) => `${roundedUsd(nanos)} USD`}
                formatAxis={roundedUsd}
              />
              <Section
                title="In parts"
                actions={
                  <Choices<Group>
                    label="Parts"
                    options={GROUPS}
                    value={by}
                    onChange={(chosen) => change({ by: chosen })}
                  />
                }
              >
                <Parts
                  usage={usage}
                  by={by}
                  onModel={(id) => change({ model: id }, { push: true })}
                  onKey={(prefix) => change({ key: prefix }, { push: true })}
                />
              </Section>
            </>
          )
        }
      </Loaded>
    </>
  )
}

function Filter({ name, value, onRemove }: { name: string; value: string; onRemove: () => void }) {
  return (
    <Button small icon={X} onClick={onRemove} aria-label={`Remove the filter ${name} ${value}`}>
      {name} {value}
    </Button>
  )
}

function Totals({ total }: { total: Sum }) {
  return (
    <Figures>
      <Figure label="Charged" value={<Money nanos={total.cost_nanos} />} />
      <Figure
        label="Calls"
        value={count(total.calls)}
        note={total.failed > 0 ? `${count(total.failed)} of them failed, and cost nothing` : 'none failed'}
      />
      <Figure
        label="Tokens"
        value={briefCount(total.input_tokens + total.output_tokens)}
        note={`${briefCount(total.input_tokens)} in, ${briefCount(total.output_tokens)} out`}
      />
      {total.images > 0 && <Figure label="Images" value={count(total.images)} />}
    </Figures>
  )
}

interface PartsProps {
  usage: UsageView
  by: Group
  onModel: (id: string) => void
  onKey: (prefix: string) => void
}

/** The figures of a row, whatever it is of. On a phone, the charge and the number of calls. */
const FIGURES: readonly Column<Sum>[] = [
  {
    key: 'cost',
    title: 'Charged, USD',
    end: true,
    phone: 'first-end',
    cell: ({ cost_nanos }) => <Money nanos={cost_nanos} unit={false} />,
  },
  {
    key: 'calls',
    title: 'Calls',
    end: true,
    phone: 'second-end',
    cell: ({ calls }) => (
      <>
        {count(calls)}
        <span className="on-phone">{calls === 1 ? ' call' : ' calls'}</span>
      </>
    ),
  },
  { key: 'failed', title: 'Failed', end: true, phone: 'none', cell: ({ failed }) => count(failed) },
  {
    key: 'input',
    title: 'Tokens in',
    end: true,
    phone: 'none',
    cell: ({ input_tokens }) => count(input_tokens),
  },
  {
    key: 'output',
    title: 'Tokens out',
    end: true,
    phone: 'none',
    cell: ({ output_tokens }) => count(output_tokens),
  },
  { key: 'images', title: 'Images', end: true, phone: 'none', cell: ({ images }) => count(images) },
]

function Parts({ usage, by, onModel, onKey }: PartsProps) {
  if (by === 'day')
    return (
      <Table
        label="Usage by day"
        rows={usage.days.toReversed()}
        keyOf={({ day }) => day}
        columns={[
          { key: 'day', title: 'Day', cell: ({ day }) => <span className="no-wrap">{day}</span> },
          ...FIGURES,
        ]}
      />
    )
  if (by === 'key')
    return (
      <>
        <Table
          label="Usage by key"
          rows={usage.keys}
          keyOf={({ key_prefix }) => key_prefix}
          columns={[
            {
              key: 'key',
              title: 'Key',
              cell: ({ key, key_prefix }) => (
                <Choice onChoose={() => onKey(key_prefix)}>
                  {key} <code className="soft">{key_prefix}</code>
                </Choice>
              ),
            },
            ...FIGURES,
          ]}
        />
        {usage.further_keys > 0 && (
          <p className="soft">{count(usage.further_keys)} further keys cost less.</p>
        )}
      </>
    )
  return (
    <Table
      label="Usage by model"
      rows={usage.models}
      keyOf={({ model }) => model}
      columns={[
        {
          key: 'model',
          title: 'Model',
          cell: ({ model }) => <Choice onChoose={() => onModel(model)}>{model}</Choice>,
        },
        ...FIGURES,
      ]}
    />
  )
}

/** Shows the usage of this one alone. */
const Choice = ({ onChoose, children }: { onChoose: () => void; children: ReactNode }) => (
  <button type="button" className="text-button" title="Show its usage alone" onClick={onChoose}>
    {children}
  </button>
)

function NoCalls({ is_filtered }: { is_filtered: boolean }) {
  if (is_filtered)
    return <EmptyState title="No call fits">Take a filter away, or look at a longer range.</EmptyState>
  return (
    <EmptyState
      icon={ChartColumn}
      title="There were no calls in this range"
      action={<ButtonLink href="/playground">Try a model in the playground</ButtonLink>}
    >
      What calls cost adds up here, as soon as there are some.
    </EmptyState>
  )
}
