// The slider of a threshold: every position was computed before; here it is only looked up.
(function () {
  "use strict";
  document.querySelectorAll("script.positions").forEach(function (block) {
    var root = block.closest(".report"), data = JSON.parse(block.textContent);
    root.querySelectorAll("script.places").forEach(function (more) {
      Object.assign(data.places, JSON.parse(more.textContent));
    });
    var slider = root.querySelector("input[type=range]"), back = root.querySelector(".back");
    function each(name, change) {
      root.querySelectorAll("[data-" + name + "]").forEach(function (element) {
        element.getAttribute("data-" + name).split(" ").forEach(function (item) {
          var parts = item.split(":");
          change(element, parts[0], parts[parts.length - 1]);
        });
      });
    }
    function move(at) {
      each("text", function (element, _, key) {
        element.textContent = data.texts[key][data.at[key][at]];
      });
      each("place", function (element, attribute, key) {
        element.setAttribute(attribute, data.places[key][at] + "%");
      });
      each("flag", function (element, name, key) {
        element.classList.toggle(name, data.flags[key][at] === "1");
      });
      root.classList.toggle("moved", at !== data.home);
      back.hidden = at === data.home;
      slider.setAttribute("aria-valuetext", root.querySelector(".spoken").textContent);
    }
    slider.addEventListener("input", function () { move(+slider.value); });
    back.addEventListener("click", function () {
      slider.value = data.home;
      move(data.home);
      slider.focus();
    });
    slider.closest("[hidden]").hidden = false;
    slider.value = data.home;  // a browser that goes back keeps the place of the thumb
    move(data.home);
  });
  var opened = [];
  addEventListener("beforeprint", function () {
    opened = Array.prototype.filter.call(document.querySelectorAll("details"), function (one) {
      return !one.open;
    });
    opened.forEach(function (one) { one.open = true; });
  });
  addEventListener("afterprint", function () { opened.forEach(function (one) { one.open = false; }); });
})();
