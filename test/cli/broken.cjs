/** Breaks the sandbox in a process that requires this file: it can't store a record with this id. */
const { set } = Map.prototype;
Map.prototype.set = function (key, value) {
  if (key === 'BROKEN-1') throw new Error('a broken map');
  return set.call(this, key, value);
};
