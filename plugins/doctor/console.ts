// Console routes of the check-up, for operators only.
import { Elysia } from 'elysia'
import { FAILURES, operatorCalls } from '../../src/app/surface/console/calls.ts'
import { LastReportView, lastReportView } from '../../src/app/surface/console/last-report.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { Doctor } from './check-up.ts'
import { DoctorReport } from './report.ts'

const RESPONSE = { response: { 200: LastReportView(DoctorReport), ...FAILURES } }

/** `GET /console/api/doctor`; a POST starts a check-up in the background, unless one is running. It sends each provider a free request. */
export const doctorRoutes = (gateway: Pick<Gateway, 'calls' | 'requests' | 'people'>, doctor: Doctor) =>
  new Elysia({ name: 'console-doctor' })
    .use(operatorCalls(gateway))
    .get('/console/api/doctor', () => lastReportView(doctor), RESPONSE)
    .post(
      '/console/api/doctor',
      () => {
        doctor.begin()
        return lastReportView(doctor)
      },
      RESPONSE,
    )
