/** Parses the less common forms of ISO 8601: basic format, reduced precision, ordinal and week dates. */

const datePart = String.raw`(?<year>\d{4})(?:(?<dash>-?)(?:(?<month>\d\d)\k<dash>(?<day>\d\d)|(?<ordinal>\d{3})|W(?<week>\d\d)\k<dash>(?<weekday>[1-7])))`;
const timePart = String.raw`(?<hour>\d\d)(?:(?<colon>:?)(?<minute>\d\d)(?:\k<colon>(?<second>\d\d))?)?(?:[.,](?<fraction>\d+))?`;
const offsetPart = String.raw`(?:[Zz]|(?<sign>[+-])(?<offsetHour>\d\d)(?::?(?<offsetMinute>\d\d))?)`;

const timestampPattern = new RegExp(`^${datePart}[Tt ]${timePart}${offsetPart}$`);
const calendarDate = /^\d{4}(-?)\d\d\1\d\d$/;

type Groups = Readonly<Record<string, string | undefined>>;

/** Parses a timestamp with offset in any form. Returns milliseconds since 1970, or undefined if it is none. */
export function parseAnyForm(text: string): number | undefined {
  const groups: Groups | undefined = timestampPattern.exec(text)?.groups;
  // The date and the time are both in the basic format, or both in the extended one.
  if (!groups || (groups['minute'] !== undefined && (groups['dash'] === '') !== (groups['colon'] === '')))
    return undefined;
  const day = dayOf(groups);
  const time = timeOf(groups);
  const offset = offsetOf(groups);
  return day === undefined || time === undefined || offset === undefined ? undefined : day + time - offset;
}

/** Says what is wrong with a text that is nearly a timestamp with offset, such as `there is no month 13`. */
export function explainTimestamp(text: string): string | undefined {
  const groups: Groups | undefined = timestampPattern.exec(text)?.groups;
  if (!groups) {
    if (timestampPattern.test(`${text}Z`)) return explainTimestamp(`${text}Z`) ?? 'the offset is missing';
    return timestampPattern.test(`${text}T00Z`) ? 'the time and the offset are missing' : undefined;
  }
  const { year, month, day, hour, minute, second } = groups;
  if (dayOf(groups) === undefined) {
    if (month === undefined) return 'the year has no such day';
    return Number(month) > 12 || Number(month) < 1
      ? `there is no month ${month}`
      : `${year}-${month} has no day ${day}`;
  }
  if (timeOf(groups) === undefined) return `there is no time ${[hour, minute, second].filter(Boolean).join(':')}`;
  return offsetOf(groups) === undefined ? 'there is no such offset' : undefined;
}

/** Returns whether a text is a date that exists, without a time. */
export function isDate(text: string): boolean {
  return calendarDate.test(text) && parseAnyForm(`${text}T00Z`) !== undefined;
}

const dayMs = 86_400_000;

function dayOf(groups: Groups): number | undefined {
  const year = Number(groups['year']);
  if (groups['month'] !== undefined) {
    const month = Number(groups['month']);
    const day = Number(groups['day']);
    const at = startOf(year, month - 1, day);
    return month >= 1 && month <= 12 && new Date(at).getUTCDate() === day ? at : undefined;
  }
  if (groups['ordinal'] !== undefined) {
    const at = startOf(year, 0, Number(groups['ordinal']));
    return new Date(at).getUTCFullYear() === year ? at : undefined;
  }
  return weekDay(year, Number(groups['week']), Number(groups['weekday']));
}

/** Returns a day of a week. The first week of a year contains 4 January, and weeks begin on Monday. */
function weekDay(year: number, week: number, weekday: number): number | undefined {
  const mondayOf = (ofYear: number): number => {
    const fourth = startOf(ofYear, 0, 4);
    return fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayMs;
  };
  const monday = mondayOf(year) + (week - 1) * 7 * dayMs;
  return week >= 1 && monday < mondayOf(year + 1) ? monday + (weekday - 1) * dayMs : undefined;
}

/** Returns the start of a day; `Date.UTC` would read the year 50 as 1950. */
function startOf(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}

function timeOf({ hour, minute, second, fraction = '' }: Groups): number | undefined {
  if (Number(hour) > 23 || Number(minute ?? 0) > 59 || Number(second ?? 0) > 60) return undefined;
  const whole = (Number(hour) * 60 + Number(minute ?? 0)) * 60 + Number(second ?? 0);
  // A fraction belongs to the last unit.
  const unitMs = second !== undefined ? 1000 : minute !== undefined ? 60_000 : 3_600_000;
  // Of whole numbers, the product is exact.
  const billionths = Number(fraction.slice(0, 9).padEnd(9, '0'));
  return whole * 1000 + Math.trunc((billionths * unitMs) / 1e9);
}

function offsetOf({ sign, offsetHour = '0', offsetMinute = '0' }: Groups): number | undefined {
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  return (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -60_000 : 60_000);
}
